package live

import (
	"context"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/term"
)

// Whatever the rows hold and whatever the size, no line is wider than the screen, there are not more than fit, and nothing
// on them acts on the terminal.
func TestLinesFit(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.Just(strings.Repeat("山", 300)), rapid.Just("a\x1b[2J\r\n\u202e\u200b"), rapid.StringMatching(`[a-z_]{0,40}`))
	rapid.Check(t, func(r *rapid.T) {
		moment := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		streams := &term.Streams{UTF8: rapid.Bool().Draw(r, "utf8"), OutTTY: true}
		view := New(Config{Streams: streams, Title: "Title", Noun: "things", Header: "THING", Now: func() time.Time { return moment }})
		for range rapid.IntRange(0, 30).Draw(r, "rows") {
			view.Put(Row{
				ID: text.Draw(r, "id"), Name: text.Draw(r, "name"), Status: term.Text(text.Draw(r, "status")), Why: text.Draw(r, "why"),
				Since: moment.Add(-time.Duration(rapid.Int64Range(-1e12, 1e18).Draw(r, "age"))), Rank: rapid.IntRange(0, 3).Draw(r, "rank"),
				Working: rapid.Bool().Draw(r, "working"),
			})
		}
		m := &model{
			view: view, width: rapid.IntRange(1, 220).Draw(r, "width"), height: rapid.IntRange(1, 60).Draw(r, "height"),
			filter: text.Draw(r, "filter"), typing: rapid.Bool().Draw(r, "typing"), opened: rapid.Bool().Draw(r, "opened"), details: map[string]story{},
		}
		if rapid.Bool().Draw(r, "no filter") {
			m.filter = ""
		}
		m.look()
		m.move(rapid.IntRange(-40, 40).Draw(r, "move"))
		m.look()
		if row := m.row(); row != nil {
			m.details[row.ID] = story{status: row.Status.Text, since: row.Since, told: term.Details{
				{Label: text.Draw(r, "label"), Cells: []term.Cell{term.Text(text.Draw(r, "value")), term.Text(text.Draw(r, "value"))}},
			}}
		}
		lines := m.lines()
		require.LessOrEqual(r, len(lines), m.height)
		for _, line := range lines {
			require.LessOrEqual(r, ansi.StringWidth(line), m.width, "%q", line)
			require.False(r, strings.ContainsFunc(line, unicode.IsControl), "%q", line)
			require.Equal(r, term.Sanitize(line), line)
		}
	})
}

func TestRowsAreInOrder(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	view := New(Config{Streams: &term.Streams{}, Now: func() time.Time { return moment }})
	for _, row := range []Row{
		{ID: "done", Rank: 3, Since: moment.Add(-time.Hour)}, {ID: "young", Rank: 0, Since: moment.Add(-time.Minute)},
		{ID: "old", Rank: 0, Since: moment.Add(-time.Hour)}, {ID: "bad", Rank: 1, Name: "kept"}, {ID: "bad", Rank: 1},
	} {
		view.Put(row)
	}
	var ids []string
	for _, row := range view.board.look("").rows {
		ids = append(ids, row.ID)
	}
	require.Equal(t, []string{"old", "young", "bad", "done"}, ids)
	require.Len(t, view.board.look("kept").rows, 1, "a name that is known stays known")
	view.Remove("bad")
	require.Empty(t, view.board.look("kept").rows)
}

// However narrow the screen, it tells how to get out and which row is which.
func TestNarrowScreens(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	view := New(Config{Streams: &term.Streams{UTF8: true}, Title: "Title", Noun: "things", Header: "THING", Now: func() time.Time { return moment }})
	for _, id := range []string{"acc_01m7zhj4ma84dsrjtxmvwyk06m", "acc_01m7zhj4nr99va1xpn036q5hzs"} {
		view.Put(Row{ID: id, Status: term.Text("resubmission_required"), Since: moment.Add(time.Hour)})
	}
	for width := 6; width < 100; width++ {
		m := &model{view: view, width: width, height: 10}
		m.look()
		screen := strings.Join(m.lines(), "\n")
		require.Contains(t, screen, "q quit")
		require.NotContains(t, screen, "ago", "of a status that a clock ahead of this one's has dated")
		if width >= 24 {
			require.Contains(t, screen, "06m")
			require.Contains(t, screen, "hzs")
		}
		m.opened = true
		require.Contains(t, strings.Join(m.lines(), "\n"), "q quit")
		m.typing = true
		if width >= 20 {
			require.Contains(t, strings.Join(m.lines(), "\n"), "esc drop")
		}
	}
}

// Nobody takes the statuses that there is no room for to have nobody.
func TestCountsTellWhatTheyLeaveOut(t *testing.T) {
	t.Parallel()
	view := New(Config{Streams: &term.Streams{UTF8: true}, Now: time.Now})
	for i, status := range []string{"incomplete", "incomplete", "under_review", "resubmission_required", "expired", "paused"} {
		view.Put(Row{ID: string(rune('a' + i)), Status: term.Text(status), Rank: i})
	}
	for width, wanted := range map[int]string{
		80: "2 incomplete  1 under_review  1 resubmission_required  1 expired  1 paused",
		74: "2 incomplete  1 under_review  1 resubmission_required  1 expired  1 paused",
		73: "2 incomplete  1 under_review  1 resubmission_required  1 expired  +1 more",
		40: "2 incomplete  1 under_review  +3 more",
		22: "2 incomplete  +4 more",
		16: "2 inco…  +4 more",
		12: "+6 more",
		4:  "+6 …",
	} {
		m := &model{view: view, width: width, height: 24}
		m.look()
		require.Equal(t, wanted, m.counts())
	}
}

// A low screen has no room for the list beside the whole story of one: the story has it all.
func TestTheStoryOnALowScreen(t *testing.T) {
	t.Parallel()
	view := New(Config{Streams: &term.Streams{UTF8: true}, Title: "Title", Noun: "things", Header: "THING", Now: time.Now})
	view.Put(Row{ID: "acc_1", Status: term.Text("rejected")})
	view.Put(Row{ID: "acc_2", Status: term.Text("paused"), Rank: 1})
	m := &model{view: view, width: 30, height: 8, opened: true, details: map[string]story{"acc_1": {status: "rejected", told: term.Details{
		{Label: "Account", Cells: []term.Cell{term.Text("acc_1")}},
		{Label: "Why", Cells: []term.Cell{term.Text("The applicant is on a sanctions list.")}},
		{Label: "Level", Cells: []term.Cell{term.Text("basic")}},
		{Label: "Name", Cells: []term.Cell{term.Text("A*** L***")}},
		{Label: "Last", Cells: []term.Cell{term.Text("end of the story")}},
	}}}}
	m.look()
	require.Equal(t, []string{
		"Title: 2 things               ",
		"Account  acc_1",
		"Why      The applicant is on a",
		"         sanctions list.",
		"Level    basic",
		"2 more lines                  ",
		strings.Repeat(" ", 30),
		"enter back  q quit  1 of 2",
	}, m.lines())
	m.opened = false
	m.look()
	require.Contains(t, strings.Join(m.lines(), "\n"), "acc_2")
}

// A thing that comes to a status again may have it for another reason: what was told of the first time is not shown.
func TestAStoryIsOfOneTimeInAStatus(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	view := New(Config{
		Streams: &term.Streams{UTF8: true}, Now: func() time.Time { return moment },
		Details: func(context.Context, string) (term.Details, error) { return nil, nil },
	})
	row := Row{ID: "acc_1", Status: term.Text("resubmission_required"), Since: moment.Add(-time.Hour), Why: "The picture cannot be read."}
	view.Put(row)
	m := &model{view: view, width: 80, height: 24, details: map[string]story{}}
	m.look()
	m.take(loaded{row.ID, story{status: row.Status.Text, since: row.Since, told: term.Details{{Label: "To do", Cells: []term.Cell{term.Text("submitted 1 of 3 times")}}}}})
	require.Contains(t, strings.Join(m.lines(), "\n"), "submitted 1 of 3 times")
	require.Nil(t, m.ask())

	row.Since = moment.Add(-time.Minute)
	view.Put(row)
	m.look()
	require.NotContains(t, strings.Join(m.lines(), "\n"), "submitted 1 of 3 times")
	require.NotNil(t, m.ask(), "it is asked for anew")
}

// An identifier is a service's text, and what is copied may be pasted into a shell: there a line break would run it.
func TestWhatIsCopiedIsHarmless(t *testing.T) {
	t.Parallel()
	view := New(Config{Streams: &term.Streams{UTF8: true}, Now: time.Now})
	view.Put(Row{ID: "acc_1; reboot\n", Status: term.Text("pending")})
	m := &model{view: view, width: 80, height: 24}
	m.look()
	require.NotNil(t, m.press(tea.KeyPressMsg{Code: 'c', Text: "c"}))
	require.Equal(t, `acc_1; reboot\n`, m.copied)
}

// Whatever is pasted into it, a filter stays one line of text.
func TestAFilterIsBounded(t *testing.T) {
	t.Parallel()
	m := &model{view: New(Config{Streams: &term.Streams{UTF8: true}, Now: time.Now}), width: 80, height: 24, typing: true}
	m.Update(tea.PasteMsg{Content: strings.Repeat("山", longestFilter)})
	require.Len(t, m.filter, longestFilter/3*3)
	require.True(t, utf8.ValidString(m.filter))
}
