package live

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/ui"
)

// The text of a notice begins with a word, whatever the identifier is: a number at its beginning is a command in some
// terminals.
func TestNoticeIsNoCommand(t *testing.T) {
	t.Parallel()
	config := testConfig()
	config.Notify = []string{"rejected"}
	m := newTestModel(config, 80, 24)
	for range 3 {
		m.change(Row{ID: `9;7;"calc.exe"` + "\x1b\\\a", Status: ui.Text("rejected"), Data: ""}, ui.Cell{})
	}
	require.Equal(t, "\a\x1b]9;payctl: 9;7;\"calc.exe\"\\x1b\\\\x07 rejected, 2 more\x1b\\", m.signal())
	require.Empty(t, m.signal(), "one is enough")
}

// [ and ] pass over rows that have been removed.
func TestVisitsOfRemovedRows(t *testing.T) {
	t.Parallel()
	m := newTestModel(testConfig(), 100, 40)
	for _, row := range sample() {
		m.view.Put(row)
	}
	m.do()
	m.do("enter", "esc", "j", "enter", "esc", "j", "enter", "esc")
	ids := m.shownIDs()
	m.view.Remove(ids[1])
	m.do()
	m.do("[")
	require.Equal(t, ids[0], m.row().ID)
	m.do("]")
	require.Equal(t, ids[2], m.row().ID)
	m.view.Remove(ids[2])
	m.do()
	m.do("[")
	require.Equal(t, ids[0], m.row().ID)
	m.view.Remove(ids[0])
	m.do()
	m.do("[", "]")
	require.Equal(t, "There is no other opened row.", m.said)
}

// One long status leaves the other columns of all rows where they are.
func TestLongStatusLeavesTheOtherColumns(t *testing.T) {
	t.Parallel()
	m := newTestModel(testConfig(), 80, 24)
	m.view.Put(Row{ID: "acc_01m7zhj4ma84dsrjtxmvwyk06m", Status: ui.Text(strings.Repeat("status_", 5000)), Since: now.Add(-time.Hour), Data: ""})
	m.do()
	screen := ansi.Strip(strings.Join(m.lines(), "\n"))
	require.Contains(t, screen, "FOR")
	require.Contains(t, screen, "status_status_status_…  1h00m")
}

// A service that makes up a status for each row does not slow down the frames.
func TestManyStatusesAreCountedNowAndThen(t *testing.T) {
	// Not parallel: AllocsPerRun counts what other tests allocate, too.
	m := newTestModel(testConfig(), 200, 50)
	for i := range 10 * tallyStatuses {
		m.view.Put(Row{ID: fmt.Sprint(i), Status: ui.Text(fmt.Sprint("made_up_", i)), Since: now, Data: ""})
	}
	m.do()
	m.lines()
	allocations := testing.AllocsPerRun(10, func() { m.chartsPane(m.at.charts) })
	require.Less(t, allocations, float64(5*tallyStatuses))
	require.Contains(t, ansi.Strip(strings.Join(m.lines(), "\n")), "more ")
}

// A terminal that takes no output holds up the loop. The updates are applied without it, so that they do not pile up.
func TestUpdatesDoNotPileUp(t *testing.T) {
	t.Parallel()
	config := testConfig()
	config.Log, config.MostRows, config.Notify = true, 100, []string{"pending"}
	m := newTestModel(config, 80, 24)
	for i := range 5 * mostUpdates {
		m.view.Change(Row{ID: fmt.Sprint(i), Status: ui.Text("pending"), Since: now.Add(time.Duration(i) * time.Second), Data: ""}, ui.Cell{})
		require.Less(t, len(m.view.updates), mostUpdates)
	}
	require.LessOrEqual(t, len(m.board.byID), config.MostRows)
	m.do()
	require.Len(t, m.shownIDs(), config.MostRows)
}

// A dialog that has been open for longer than P shows personal data does not take it as shown.
func TestPersonalDataIsHiddenUnderADialogToo(t *testing.T) {
	t.Parallel()
	config, clock := testConfig(), now
	config.Now = func() time.Time { return clock }
	shown := make(chan bool)
	config.Actions = []Action{{Key: "y", Name: "copy", Run: func(ctx context.Context, d *Dialog, _ []Row) (string, error) {
		shown <- d.Personal()
		_, err := d.Choose(ctx, []Option{{Key: "a", Label: "answer"}}, "What?")
		shown <- d.Personal()
		return "", err
	}}}
	m := newTestModel(config, 80, 24)
	m.view.Put(sample()[0])
	m.do()
	m.do("P", "y")
	require.True(t, <-shown)
	require.Eventually(t, func() bool {
		m.do()
		return m.question != nil
	}, time.Minute, time.Millisecond)
	clock = clock.Add(personalFor)
	m.do("a")
	require.False(t, <-shown)
	m.running.Wait()
}

// The rest of a text that is pasted into a terminal without bracketed paste confirms nothing, and neither does a held
// key.
func TestPastedKeysConfirmNothing(t *testing.T) {
	t.Parallel()
	config, clock := testConfig(), now
	config.Now = func() time.Time { return clock }
	goesOn, confirmed := make(chan bool), make(chan bool, 1)
	config.Actions = []Action{{Key: "s", Name: "submit", Run: func(ctx context.Context, d *Dialog, _ []Row) (string, error) {
		if _, err := d.Line(ctx, "", nil, "A file?"); err != nil {
			return "", err
		}
		<-goesOn
		err := d.Confirm(ctx, "Submit this?")
		confirmed <- err == nil
		return "", err
	}}}
	m := newTestModel(config, 80, 24)
	m.view.Put(sample()[0])
	m.do()
	asks := func() {
		require.Eventually(t, func() bool {
			m.do()
			return m.question != nil
		}, time.Minute, time.Millisecond)
	}
	m.do("s")
	asks()
	m.do("x", "enter", "n")
	goesOn <- true
	asks()
	for range 3 {
		m.do("o", "enter", "y", "e", "s")
		clock = clock.Add(aheadPause / 2)
	}
	require.NotNil(t, m.question)
	require.Empty(t, confirmed)
	clock = clock.Add(aheadPause)
	m.do("y")
	require.True(t, <-confirmed)
	m.running.Wait()
}
