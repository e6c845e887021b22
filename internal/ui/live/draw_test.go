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

	"github.com/payctl/payctl/internal/ui"
)

// Whatever the rows hold and whatever the size, the lines fit the screen, and nothing on them controls the terminal.
func TestLinesFit(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.Just(strings.Repeat("山", 300)), rapid.Just("a\x1b[2J\r\n\u202e\u200b"), rapid.StringMatching(`[a-z_]{0,40}`))
	rapid.Check(t, func(r *rapid.T) {
		moment := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		streams := &ui.Streams{UTF8: rapid.Bool().Draw(r, "utf8"), OutTTY: true}
		view := New(Config{Streams: streams, Title: "Title", Noun: "things", Header: "THING", Now: func() time.Time { return moment }})
		for range rapid.IntRange(0, 30).Draw(r, "rows") {
			view.Put(Row{
				ID: text.Draw(r, "id"), Name: text.Draw(r, "name"), Status: ui.Text(text.Draw(r, "status")), Why: text.Draw(r, "why"),
				Since: moment.Add(-time.Duration(rapid.Int64Range(-1e12, 1e18).Draw(r, "age"))), Rank: rapid.IntRange(0, 3).Draw(r, "rank"),
				Working: rapid.Bool().Draw(r, "working"),
			})
		}
		m := &model{
			view: view, width: rapid.IntRange(1, 220).Draw(r, "width"), height: rapid.IntRange(1, 60).Draw(r, "height"),
			filter: text.Draw(r, "filter"), typing: rapid.Bool().Draw(r, "typing"), opened: rapid.Bool().Draw(r, "opened"), details: map[string]rowDetails{},
		}
		if rapid.Bool().Draw(r, "no filter") {
			m.filter = ""
		}
		m.refresh()
		m.move(rapid.IntRange(-40, 40).Draw(r, "move"))
		m.refresh()
		if row := m.row(); row != nil {
			m.details[row.ID] = rowDetails{status: row.Status.Text, since: row.Since, fields: ui.Details{
				{Label: text.Draw(r, "label"), Cells: []ui.Cell{ui.Text(text.Draw(r, "value")), ui.Text(text.Draw(r, "value"))}},
			}}
		}
		lines := m.lines()
		require.LessOrEqual(r, len(lines), m.height)
		for _, line := range lines {
			require.LessOrEqual(r, ansi.StringWidth(line), m.width, "%q", line)
			require.False(r, strings.ContainsFunc(line, unicode.IsControl), "%q", line)
			require.Equal(r, ui.Sanitize(line), line)
		}
	})
}

func TestRowsAreInOrder(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	view := New(Config{Streams: &ui.Streams{}, Now: func() time.Time { return moment }})
	for _, row := range []Row{
		{ID: "done", Rank: 3, Since: moment.Add(-time.Hour)}, {ID: "young", Rank: 0, Since: moment.Add(-time.Minute)},
		{ID: "old", Rank: 0, Since: moment.Add(-time.Hour)}, {ID: "bad", Rank: 1, Name: "kept"}, {ID: "bad", Rank: 1},
	} {
		view.Put(row)
	}
	var ids []string
	for _, row := range view.board.snapshot("").rows {
		ids = append(ids, row.ID)
	}
	require.Equal(t, []string{"old", "young", "bad", "done"}, ids)
	require.Len(t, view.board.snapshot("kept").rows, 1, "a row keeps its name")
	view.Remove("bad")
	require.Empty(t, view.board.snapshot("kept").rows)
}

// However narrow the screen, it shows how to quit and tells the rows apart.
func TestNarrowScreens(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	view := New(Config{Streams: &ui.Streams{UTF8: true}, Title: "Title", Noun: "things", Header: "THING", Now: func() time.Time { return moment }})
	for _, id := range []string{"acc_01m7zhj4ma84dsrjtxmvwyk06m", "acc_01m7zhj4nr99va1xpn036q5hzs"} {
		view.Put(Row{ID: id, Status: ui.Text("resubmission_required"), Since: moment.Add(time.Hour)})
	}
	for width := 6; width < 100; width++ {
		m := &model{view: view, width: width, height: 10}
		m.refresh()
		screen := strings.Join(m.lines(), "\n")
		require.Contains(t, screen, "q quit")
		require.NotContains(t, screen, "ago", "the time of a clock that is ahead")
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

// Statuses for which there is no room are counted.
func TestCountsShowWhatTheyLeaveOut(t *testing.T) {
	t.Parallel()
	view := New(Config{Streams: &ui.Streams{UTF8: true}, Now: time.Now})
	for i, status := range []string{"incomplete", "incomplete", "under_review", "resubmission_required", "expired", "paused"} {
		view.Put(Row{ID: string(rune('a' + i)), Status: ui.Text(status), Rank: i})
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
		m.refresh()
		require.Equal(t, wanted, m.countsLine())
	}
}

// On a low screen the opened details replace the list.
func TestDetailsOnALowScreen(t *testing.T) {
	t.Parallel()
	view := New(Config{Streams: &ui.Streams{UTF8: true}, Title: "Title", Noun: "things", Header: "THING", Now: time.Now})
	view.Put(Row{ID: "acc_1", Status: ui.Text("rejected")})
	view.Put(Row{ID: "acc_2", Status: ui.Text("paused"), Rank: 1})
	m := &model{view: view, width: 30, height: 8, opened: true, details: map[string]rowDetails{"acc_1": {status: "rejected", fields: ui.Details{
		{Label: "Account", Cells: []ui.Cell{ui.Text("acc_1")}},
		{Label: "Why", Cells: []ui.Cell{ui.Text("The applicant is on a sanctions list.")}},
		{Label: "Level", Cells: []ui.Cell{ui.Text("basic")}},
		{Label: "Name", Cells: []ui.Cell{ui.Text("A*** L***")}},
		{Label: "Last", Cells: []ui.Cell{ui.Text("end of the details")}},
	}}}}
	m.refresh()
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
	m.refresh()
	require.Contains(t, strings.Join(m.lines(), "\n"), "acc_2")
}

// A row that gets a status again may have it for another reason: details of the first time are not shown.
func TestDetailsAreOfOneTimeInAStatus(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	view := New(Config{
		Streams: &ui.Streams{UTF8: true}, Now: func() time.Time { return moment },
		Details: func(context.Context, string) (ui.Details, error) { return nil, nil },
	})
	row := Row{ID: "acc_1", Status: ui.Text("resubmission_required"), Since: moment.Add(-time.Hour), Why: "The picture cannot be read."}
	view.Put(row)
	m := &model{view: view, width: 80, height: 24, details: map[string]rowDetails{}}
	m.refresh()
	m.Update(detailsLoaded{row.ID, rowDetails{status: row.Status.Text, since: row.Since, fields: ui.Details{{Label: "To do", Cells: []ui.Cell{ui.Text("submitted 1 of 3 times")}}}}})
	require.Contains(t, strings.Join(m.lines(), "\n"), "submitted 1 of 3 times")
	require.Nil(t, m.requestDetails())

	row.Since = moment.Add(-time.Minute)
	view.Put(row)
	m.refresh()
	require.NotContains(t, strings.Join(m.lines(), "\n"), "submitted 1 of 3 times")
	require.NotNil(t, m.requestDetails(), "they are read again")
}

// A copied identifier may be pasted into a shell, which must not run it.
func TestCopiedIDIsHarmless(t *testing.T) {
	t.Parallel()
	view := New(Config{Streams: &ui.Streams{UTF8: true}, Now: time.Now})
	view.Put(Row{ID: "acc_1; reboot\n", Status: ui.Text("pending")})
	m := &model{view: view, width: 80, height: 24}
	m.refresh()
	require.NotNil(t, m.press(tea.KeyPressMsg{Code: 'c', Text: "c"}))
	require.Equal(t, `'acc_1; reboot'\\'n'`, m.copied)
}

// A filter stays short, whatever is pasted into it.
func TestFilterIsBounded(t *testing.T) {
	t.Parallel()
	m := &model{view: New(Config{Streams: &ui.Streams{UTF8: true}, Now: time.Now}), width: 80, height: 24, typing: true}
	m.Update(tea.PasteMsg{Content: strings.Repeat("山", longestFilter)})
	require.Len(t, m.filter, longestFilter/3*3)
	require.True(t, utf8.ValidString(m.filter))
}
