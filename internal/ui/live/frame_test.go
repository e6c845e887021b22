package live

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/ui"
)

// newTestModel returns the model of a view of this size. No program runs it.
func newTestModel(config Config, width, height int) *model {
	if config.Streams == nil {
		config.Streams = &ui.Streams{UTF8: true, OutTTY: true}
	}
	m := New(config).model
	m.width, m.height = width, height
	m.refresh()
	return m
}

// do sends keys to the model, by name, and then the updates of the view.
func (m *model) do(keys ...string) {
	for _, key := range keys {
		press := tea.KeyPressMsg{Text: key}
		if runes := []rune(key); len(runes) == 1 {
			press.Code = runes[0]
		}
		if code := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEsc}[key]; code != 0 {
			press = tea.KeyPressMsg{Code: code}
		}
		m.Update(press)
	}
	m.Update(updated{})
}

// shownIDs returns the IDs of the rows in the order of the list.
func (m *model) shownIDs() (ids []string) {
	for _, e := range m.board.shown {
		ids = append(ids, e.row.ID)
	}
	return ids
}

// Lines fit a screen of any size and do not control the terminal, whatever the rows hold.
func TestLinesFit(t *testing.T) {
	t.Parallel()
	hostile := rapid.SampledFrom([]string{strings.Repeat("山", 300), "a\x1b[2J\r\n\u202e\u200b"})
	text := rapid.OneOf(rapid.String(), hostile, rapid.StringMatching(`[a-z_]{0,40}`))
	keys := rapid.SampledFrom([]string{"j", "k", "G", "g", "1", "0", "P", "enter", "esc", "r", "?"})
	rapid.Check(t, func(r *rapid.T) {
		config := testConfig()
		config.Streams = &ui.Streams{UTF8: rapid.Bool().Draw(r, "utf8"), OutTTY: true}
		m := newTestModel(config, rapid.IntRange(1, 320).Draw(r, "width"), rapid.IntRange(1, 80).Draw(r, "height"))
		row := func() Row {
			return Row{
				ID: text.Draw(r, "id"), Data: text.Draw(r, "name"), Status: ui.Text(text.Draw(r, "status")),
				Why: text.Draw(r, "why"), Group: rapid.IntRange(0, 4).Draw(r, "group"),
				Since:    now.Add(-time.Duration(rapid.Int64Range(-1e12, 1e18).Draw(r, "age"))),
				Deadline: now.Add(time.Duration(rapid.Int64Range(-1e15, 1e15).Draw(r, "deadline"))),
			}
		}
		for range rapid.IntRange(0, 30).Draw(r, "rows") {
			m.view.put(row())
		}
		for range rapid.IntRange(0, 3).Draw(r, "changes") {
			m.view.news(row())
		}
		if rapid.Bool().Draw(r, "filtered") {
			m.setFilter(text.Draw(r, "filter"))
			m.typing = rapid.Bool().Draw(r, "typing")
		}
		if rapid.Bool().Draw(r, "troubled") {
			m.view.SetTrouble(text.Draw(r, "trouble"))
		}
		m.do()
		m.do(rapid.SliceOfN(keys, 0, 8).Draw(r, "keys")...)
		if row := m.row(); row != nil {
			m.page = rapid.SampledFrom([]page{listPage, detailsPage, helpPage, replyPage}).Draw(r, "page")
			fields := ui.Details{{}, {Label: text.Draw(r, "label"), Cells: []ui.Cell{ui.Text(text.Draw(r, "value"))}}}
			m.known = &pageRead{m.page, *row, m.showsPersonal(), func(Moment) ui.Details { return fields }, nil, m.now()}
		}
		m.refresh()
		lines := m.lines()
		require.LessOrEqual(r, len(lines), m.height)
		for _, line := range lines {
			require.LessOrEqual(r, ansi.StringWidth(line), m.width, "%q", line)
			line = ansi.Strip(line) // the selected line is inverted
			require.False(r, strings.ContainsFunc(line, unicode.IsControl), "%q", line)
			require.Equal(r, ui.Sanitize(line), line)
		}
	})
}

// A board is always sorted, and shows the rows of its group.
func TestBoardIsInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		m := newTestModel(testConfig(), 100, 30)
		model := map[string]Row{}
		id := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"})
		for range rapid.IntRange(1, 60).Draw(r, "steps") {
			switch rapid.IntRange(0, 6).Draw(r, "step") {
			case 0, 1:
				m.do(rapid.SampledFrom([]string{"1", "2", "0", "j", "k", "g", "G", "esc"}).Draw(r, "key"))
			case 2:
				m.do()
			default:
				row := Row{
					ID: id.Draw(r, "id"), Group: rapid.IntRange(0, 4).Draw(r, "group"), Data: "x",
					Since:  now.Add(time.Duration(rapid.IntRange(0, 3).Draw(r, "since")) * time.Second),
					Status: ui.Text(rapid.SampledFrom([]string{"0", "1", "2"}).Draw(r, "status")),
				}
				model[row.ID] = row
				m.view.news(row)
			}
		}
		m.do()
		chosen := m.selected
		if chosen != nil && m.moved {
			at := m.index - m.top
			require.Equal(r, chosen, m.board.shown[m.index])
			require.GreaterOrEqual(r, at, 0)
		}
		m.moved = false
		m.board.renew(nil)
		require.Len(r, m.board.all, len(model))
		require.True(r, slices.IsSortedFunc(m.board.all, compare))
		var want []string
		for _, e := range m.board.all {
			require.Equal(r, model[e.row.ID], *e.row)
			if m.board.group == allGroups || m.board.group == e.row.Group {
				want = append(want, e.row.ID)
			}
		}
		require.Equal(r, want, m.shownIDs())
	})
}

// The row under the cursor stays in its line of the screen, whatever happens to it and the others, until the cursor
// leaves it. Then it moves to its place.
func TestTheCursorStays(t *testing.T) {
	t.Parallel()
	m := newTestModel(testConfig(), 100, 40)
	for _, row := range sample() {
		m.view.put(row)
	}
	m.do()
	m.do("j", "j", "j") // the fourth
	line, id := m.index-m.top, m.selected.row.ID
	require.Equal(t, 3, line)
	for i := range 50 {
		m.view.news(Row{ID: fmt.Sprintf("new_%d", i), Group: i % 5, Status: ui.Text("under_review"), Since: now, Data: ""})
		row := *m.selected.row
		row.Group, row.Status = (i+1)%5, ui.Text("under_review")
		m.view.news(row)
		m.do()
		require.Equal(t, id, m.selected.row.ID)
		require.Equal(t, row.Group, m.selected.row.Group, "the row shows its present group")
		require.Equal(t, line, m.index-m.top)
	}
	m.do("k", "j")
	require.NotEqual(t, id, m.selected.row.ID, "it has moved to its place")
}

// A narrow screen still shows how to quit and tells the rows apart.
func TestNarrowScreens(t *testing.T) {
	t.Parallel()
	for width := 6; width < 120; width++ {
		m := newTestModel(testConfig(), width, 10)
		for _, id := range []string{"acc_01m7zhj4ma84dsrjtxmvwyk06m", "acc_01m7zhj4nr99va1xpn036q5hzs"} {
			m.view.put(Row{ID: id, Status: ui.Text("resubmission_required"), Since: now.Add(time.Hour), Data: ""})
		}
		m.do()
		screen := ansi.Strip(strings.Join(m.lines(), "\n"))
		require.Contains(t, screen, "q quit")
		if width >= 24 {
			require.Contains(t, screen, "06m", "%d", width)
			require.Contains(t, screen, "hzs", "%d", width)
		}
		m.do("/", "a")
		if width >= 20 {
			require.Contains(t, ansi.Strip(strings.Join(m.lines(), "\n")), "/a")
		}
	}
}

// A filter stays short, whatever is pasted into it.
func TestFilterIsBounded(t *testing.T) {
	t.Parallel()
	m := newTestModel(testConfig(), 80, 24)
	m.do("/")
	m.Update(tea.PasteMsg{Content: strings.Repeat("山", longestFilter)})
	require.Len(t, m.filterText, longestFilter/3*3)
	require.True(t, utf8.ValidString(m.filterText))
}

// The explanation of the selected row is shown in full if the screen has room for it.
func TestLongExplanationIsNotCut(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 50}, {120, 40}, {200, 50}} {
		m := newTestModel(testConfig(), size[0], size[1])
		for _, row := range sample() {
			m.view.put(row)
		}
		why := strings.Repeat("so many words ", 70) + "end"
		m.view.put(Row{ID: "first", Status: ui.Text("rejected"), Why: why, Since: now.Add(-10_000 * time.Hour)})
		m.do()
		screen := strings.Join(m.lines(), "\n")
		require.Equal(t, "first", m.selected.row.ID)
		require.Contains(t, strings.Join(strings.Fields(screen), " "), why)
		require.GreaterOrEqual(t, m.listHeight(), 16)
	}
}

// A copied identifier may be pasted into a shell, which must not run it.
func TestCopiedIDIsHarmless(t *testing.T) {
	t.Parallel()
	m := newTestModel(testConfig(), 80, 24)
	m.view.put(Row{ID: "acc_1; reboot\n", Status: ui.Text("pending"), Data: ""})
	m.do()
	m.do("c")
	if runtime.GOOS == "windows" {
		require.Equal(t, `"acc_1; reboot\n"`, m.copied)
		return
	}
	require.Equal(t, `'acc_1; reboot'\\'n'`, m.copied)
}
