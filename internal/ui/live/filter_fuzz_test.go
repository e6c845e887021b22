package live

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/ui"
)

// Any text can be parsed as a filter without a panic.
func FuzzFilter(f *testing.F) {
	for _, text := range []string{"", "status:under_review country:DE -ada", "name::x :::", "-", "-:", "\x00=\xff"} {
		f.Add(text)
	}
	config := testConfig()
	config.Now = time.Now
	m := newTestModel(config, 80, 24)
	for _, row := range sample() {
		m.view.put(row)
	}
	m.do()
	f.Fuzz(func(t *testing.T, text string) {
		parsed := parseFilter(text, config.Columns)
		found := 0
		for _, e := range m.board.all {
			if parsed.matches(e) {
				found++
			}
		}
		if len(parsed) == 0 {
			require.Equal(t, len(m.board.all), found)
		}
	})
}

// Names are found regardless of accents and case, in the name and in the filter.
func TestFilterDisregardsAccentsAndCase(t *testing.T) {
	t.Parallel()
	for name, typed := range map[string][]string{
		"Jürgen Müller": {"MULLER", "müller jurgen", "name:Mu\u0308ller"},
		"Łukasz Strauß": {"lukasz strauss", "Strauß"}, "Søren": {"soren", "SØREN"},
	} {
		m := newTestModel(testConfig(), 80, 24)
		m.view.put(Row{ID: "a", Data: name, Status: ui.Text("pending")})
		for _, text := range typed {
			m.setFilter(text)
			require.Len(t, m.shownIDs(), 1, text)
		}
		m.setFilter("mueller")
		require.Empty(t, m.shownIDs())
	}
}
