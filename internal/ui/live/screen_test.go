//go:build !windows

package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	xterm "golang.org/x/term"

	"github.com/payctl/payctl/internal/test/testkit"
	"github.com/payctl/payctl/internal/ui"
)

// A screen is a terminal that shows a view.
type screen struct {
	*testkit.Terminal
	t      *testing.T
	view   *View
	before *xterm.State
	ended  chan error
}

// open shows a view on a screen of a size.
func open(t *testing.T, columns, rows int, color bool, config Config, work func(context.Context) error) *screen {
	t.Helper()
	s := &screen{Terminal: testkit.OpenTerminal(t, columns, rows), t: t, ended: make(chan error, 1)}
	var err error
	tty := s.TTY
	s.before, err = xterm.GetState(int(tty.Fd()))
	require.NoError(t, err)
	config.Streams = &ui.Streams{
		In: tty, Out: tty, Err: tty, Screen: tty, InTTY: true, OutTTY: true, ErrTTY: true, UTF8: true, ColorOut: color,
	}
	config.Now = func() time.Time { return now }
	config.Environ = []string{"TERM=xterm-256color"}
	s.view = New(config)
	for _, row := range sample() {
		s.view.put(row)
	}
	go func() {
		defer func() {
			if value := recover(); value != nil {
				s.ended <- fmt.Errorf("panic: %v", value)
			}
		}()
		s.ended <- s.view.Run(t.Context(), work)
	}()
	return s
}

// waitForKeys waits until the view reads keys. Then it has read the terminal's answers to its questions too, which the
// terminal would otherwise show after a view that ends at once.
func (s *screen) waitForKeys() {
	s.t.Helper()
	s.WaitForText("quit")
	s.Press("/x")
	s.WaitForText("/x")
}

// close waits for the end of the view. The terminal is as it was before.
func (s *screen) close() error {
	s.t.Helper()
	err := <-s.ended
	s.WaitFor("the end", func() bool { return strings.Contains(s.Wrote(), "\x1b[?1049l") })
	s.WaitFor("the terminal as it was", func() bool { return len(testkit.LeftOver(s.Wrote())) == 0 })
	after, stateErr := xterm.GetState(int(s.TTY.Fd()))
	require.NoError(s.t, stateErr)
	require.Equal(s.t, s.before, after)
	require.Empty(s.t, strings.TrimSpace(s.Text()), "nothing is left over")
	return err
}

func until(ctx context.Context) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// The keys arrive as a terminal sends them. A reply is copied once the terminal confirms it.
func TestKeys(t *testing.T) {
	t.Parallel()
	s := open(t, 80, 24, false, testConfig(), until)
	s.WaitForText("quit")
	s.Press("2\r")
	s.WaitForText("a reviewer decides")
	s.Press("G")
	s.WaitForText("end of the story")
	s.Press("y")
	s.WaitForText("Sent the reply to the clipboard; the terminal does not confirm it. r shows it.")
	s.WaitFor("the clipboard", func() bool { return strings.Contains(s.Wrote(), "\x1b]52;c;SGVsbG8sCgp0aGU") })
	s.Press("\x1b]52;c;SGVsbG8sCgp0aGUgaWRlbnRpdHkgY2hlY2sgb2YgeW91ciBhY2NvdW50IGlzIHJ1bm5pbmcuCg==\x07")
	s.WaitForText("Copied the reply.")
	s.Press("\x1b")
	s.WaitForText("enter details") // else Esc and the next key are one
	s.Press("3\r")
	s.WaitForText("details could not be read: it is \\x1b[5mgone")
	s.Press("\x1b")
	s.WaitForText("enter details")
	s.Press("0/sanct\r")
	s.WaitForText("  1 of 66")
	s.view.SetTrouble("No route \x1b[1mto it")
	s.WaitForText("No route \\x1b[1mto it")
	s.Press("x\x03")
	require.ErrorIs(t, s.close(), ui.ErrInterrupted)
}

// A view ends with its work, also if that panics, and leaves the terminal as it was.
func TestViewEndsWithItsWork(t *testing.T) {
	t.Parallel()
	for _, end := range []func() error{
		func() error { return errors.New("it is over") }, func() error { panic("it is over") },
	} {
		over := make(chan struct{})
		s := open(t, 80, 24, true, testConfig(), func(context.Context) error {
			<-over
			return end()
		})
		s.waitForKeys()
		close(over)
		require.ErrorContains(t, s.close(), "it is over")
	}
}

var now = time.Date(2026, time.January, 2, 12, 0, 0, 0, time.UTC)

// hostile is a name that would take over a terminal.
var hostile = "Ev\x1b[31mil\x1b]52;c;aGk=\x07\r\n\u202egnp\u0000\u009b2J" + strings.Repeat("x", 10_000)

// The columns and groups of the tests.
func testConfig() Config {
	name := Column{
		Column: ui.Column{Header: "Name", Name: "name", Rank: 5, Least: 6},
		Cell: func(row *Row, at Moment) ui.Cell {
			name, _ := row.Data.(string)
			if !at.Personal && name != "" {
				name = string([]rune(name)[:1]) + "***"
			}
			return ui.Text(name)
		},
	}
	groups := []ui.Cell{
		ui.Toned(ui.Applicant, "applicant"), ui.Toned(ui.Reviewer, "reviewer"), ui.Toned(ui.Bad, "failed"),
		ui.Toned(ui.Provider, "progress"), ui.Toned(ui.Good, "done"),
	}
	return Config{
		Title: "Identity checks", Noun: "accounts", Details: testDetails, HasPersonal: true, Groups: groups,
		Now: func() time.Time { return now }, ServiceNow: func() time.Time { return now },
		Columns: []Column{
			IDColumn("Account"), name, StatusColumn("Status"), TurnColumn(groups), DeadlineColumn("Until"), AgeColumn(),
			WhyColumn(),
		},
		Reply: func(context.Context, string, bool) (string, error) {
			return "Hello,\n\nthe identity check of your account is running.\n", nil
		},
	}
}

func sample() []Row {
	at := func(d time.Duration) time.Time { return now.Add(-d) }
	rows := []Row{
		{
			Data: "Ada Lovelace", Status: ui.Toned(ui.Reviewer, "under_review"), Group: 1, Since: at(26*time.Hour + time.Minute),
			Why: "A person is looking at the check. (manual_review)",
		},
		{Data: hostile, Status: ui.Toned(ui.Reviewer, "under_review"), Group: 1, Since: at(3 * time.Minute), Why: hostile},
		{
			Data: "Erika Mustermann", Status: ui.Toned(ui.Bad, "rejected"), Group: 2, Since: at(40 * time.Second),
			Why: "The applicant is on a sanctions list. (applicant_sanctioned)",
		},
		{
			Data: "山田太郎", Status: ui.Toned(ui.Applicant, "resubmission_required"), Since: at(400 * 24 * time.Hour),
			Deadline: now.Add(13 * 24 * time.Hour),
		},
		{Data: "", Status: ui.Toned(ui.Applicant, "frozen\x1b[2J"), Since: at(time.Hour), Deadline: now.Add(-time.Hour)},
	}
	for i := range rows {
		rows[i].ID = fmt.Sprint("acc_01kdwcj2m07dx6vaehz84r9gf", i+1)
	}
	for i := range 60 {
		rows = append(rows, Row{
			ID: fmt.Sprintf("acc_01kdwcj2m07dx6vaehz84r9%03d", i), Data: "Sam Smith",
			Status: ui.Toned(ui.Provider, "pending"), Since: at(time.Duration(i) * time.Second), Group: 3,
		})
	}
	return append(rows, Row{
		ID: "acc_01kdwcj2m07dx6vaehz84r9zzz", Data: "Zoe Zed", Status: ui.Toned(ui.Good, "approved"), Since: at(time.Second),
		Group: 4,
	})
}

func testDetails(_ context.Context, row Row) (func(Moment) ui.Details, error) {
	if strings.HasSuffix(row.ID, "gf3") {
		return nil, errors.New("it is \x1b[5mgone")
	}
	return func(at Moment) ui.Details {
		name := "masked"
		if at.Personal {
			name = "Ada Lovelace"
		}
		return ui.Details{
			{Label: "Next", Cells: []ui.Cell{ui.Text("a reviewer decides")}},
			{Label: "Name", Cells: []ui.Cell{ui.Text(name)}},
			{Label: "To do", Cells: []ui.Cell{
				ui.Text("payctl kyc submit " + row.ID + " --field identity_document=@PATH"), ui.Text("second"),
			}},
			{},
			{Label: "Hostile", Cells: []ui.Cell{ui.Text(hostile), ui.Toned(ui.Dim, hostile)}},
			{Label: "Last", Cells: []ui.Cell{ui.Text("end of the story")}},
		}
	}, nil
}

// put adds a row, or replaces the one with its ID.
func (v *View) put(row Row) { v.Update(row.ID, false, func(r *Row) { *r = row }) }

// news is put with news.
func (v *View) news(row Row) { v.Update(row.ID, true, func(r *Row) { *r = row }) }
