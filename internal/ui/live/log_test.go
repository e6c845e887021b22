package live

import (
	"cmp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/ui"
)

// The rows of a log are in the order of Compare, whatever their groups are; the row under the cursor stays selected
// when others come before it, and the oldest ones are dropped.
func TestLog(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	v := New(Config{
		Streams: &ui.Streams{}, Now: func() time.Time { return now }, Log: true, MostRows: 3,
		Groups: []Group{{Name: "a"}, {Name: "b"}}, GroupHeader: "About",
		Compare: func(x, y *Row) int { return cmp.Compare(y.Data.(int), x.Data.(int)) },
		Columns: []Column{IDColumn("Event", "id")},
	})
	m := v.model
	m.width, m.height = 200, 60
	put := func(id string, group, number int) {
		v.Put(Row{ID: id, Group: group, Data: number})
		m.refresh()
	}
	order := func() (ids []string) {
		for _, e := range m.board.shown {
			ids = append(ids, e.row.ID)
		}
		return ids
	}
	put("first", 0, 1)
	put("second", 1, 2)
	require.Equal(t, []string{"second", "first"}, order())
	require.Equal(t, "second", m.row().ID, "the newest, as long as the cursor has not been moved")
	require.Contains(t, m.headingLine(m.widths()), "ABOUT")
	m.move(1)
	put("third", 0, 3)
	require.Equal(t, "first", m.row().ID)
	require.Equal(t, 2, m.index)
	put("fourth", 0, 4)
	require.Equal(t, []string{"fourth", "third", "second", "first"}, order(), "the selected row is not dropped")
	m.move(-1)
	put("fifth", 1, 5)
	require.Equal(t, []string{"fifth", "fourth", "third", "second"}, order())
	m.moveInList("g")
	put("sixth", 1, 6)
	require.Equal(t, []string{"sixth", "fifth", "fourth"}, order())
	require.Equal(t, "sixth", m.row().ID)
}

// A service may send an event again, also one that is kept only since the cursor is on it.
func TestLogWithARepeatedEvent(t *testing.T) {
	t.Parallel()
	config := testConfig()
	config.Log, config.MostRows = true, 3
	config.Compare = func(x, y *Row) int { return y.Since.Compare(x.Since) }
	m := newTestModel(config, 80, 24)
	put := func(id string, at int) {
		m.view.Put(Row{ID: id, Since: now.Add(time.Duration(at) * time.Second), Data: ""})
	}
	for i, id := range []string{"first", "second", "third"} {
		put(id, i)
	}
	m.do()
	m.do("G")
	require.Equal(t, "first", m.row().ID)
	put("fourth", 4)
	m.do()
	put("first", 0)
	m.do()
	require.Equal(t, []string{"fourth", "third", "second", "first"}, m.shownIDs())
}
