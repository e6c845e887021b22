package transfer

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/batch"
	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/term"
)

// shownReport is a report of 60 rows at a terminal of a width, with a clock that stands still until it is set.
func shownReport(columns int) (report *batchReport, screen *bytes.Buffer, now *time.Time) {
	screen, now = &bytes.Buffer{}, new(time.Unix(1_000, 0))
	streams := &term.Streams{Err: screen, ErrTTY: true, UTF8: true, Columns: func() int { return columns }}
	d := &deps.Deps{Streams: streams, Now: func() time.Time { return *now }}
	return &batchReport{d: d, show: &progress{d: d}, of: 60, summary: summary{BatchID: "bat_1"}}, screen, now
}

// The time that looking references up takes, and rows that were there before, say nothing of how long the others take.
func TestThePaceIsThatOfTheRowsThatAreSent(t *testing.T) {
	t.Parallel()
	report, screen, now := shownReport(80)
	report.LookedUp(20, 60)
	*now = now.Add(time.Minute)
	report.Begin()
	for range 30 {
		require.NoError(t, report.Row(batch.Result{Outcome: batch.Created, Before: true}))
	}
	*now = now.Add(time.Second)
	for range 15 {
		require.NoError(t, report.Row(batch.Result{Outcome: batch.Created, Asked: true}))
	}
	*now = now.Add(redraw)
	require.NoError(t, report.Row(batch.Result{Outcome: batch.Refused, Asked: true}))
	require.Equal(t, []string{
		"looking up 20 of 60 references", "1 of 60, 0 refused, 0 unknown", "31 of 60, 1/s, 0 refused, 0 unknown, 29s left", "46 of 60, 13/s, 1 refused, 0 unknown, 1s left",
	}, strings.Split(screen.String(), "\r\x1b[K")[1:])
	report.tell()
	require.Contains(t, screen.String(), "45 created (30 of them before), 1 refused, 0 unknown, 0 not sent; 1.2 s, 13 rows/s (bat_1)")
}

func TestRowsThatWereNotSentHaveNoPace(t *testing.T) {
	t.Parallel()
	report, screen, now := shownReport(80)
	*now = now.Add(time.Minute)
	require.NoError(t, report.Row(batch.Result{Outcome: batch.NotSent}))
	report.tell()
	require.Contains(t, screen.String(), "0 created, 0 refused, 0 unknown, 1 not sent (bat_1)")
}

// A line that the terminal would wrap could not be drawn over.
func TestProgressIsCutToTheTerminal(t *testing.T) {
	t.Parallel()
	report, screen, _ := shownReport(20)
	report.LookedUp(20, 60)
	require.Equal(t, "\r\x1b[Klooking up 20 of 6…", screen.String())
}

// An outage is told where the line stood that would stand still.
func TestAnOutageOfABatchIsTold(t *testing.T) {
	t.Parallel()
	report, screen, _ := shownReport(80)
	report.LookedUp(20, 60)
	screen.Reset()
	report.Trouble(errors.New("connection refused"))
	report.Recovered()
	require.Equal(t, "\r\x1b[K! The service does not answer; trying again: connection refused\nThe service answers again.\n", screen.String())
}
