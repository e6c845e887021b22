package live

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A filter is read without a panic, whatever is typed.
func FuzzFilter(f *testing.F) {
	for _, text := range []string{"", "status:under_review age>2d country:DE ada", "age>=1e9w", "deadline<-3h name:=x :::", "age>NaN age<inf", "-", "\x00=\xff"} {
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
			if parsed.matches(e, now) {
				found++
			}
		}
		if len(parsed.terms) == 0 {
			require.Equal(t, len(m.board.all), found)
		}
	})
}
