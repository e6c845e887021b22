package transfer

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/ui"
)

// shownReport is a report of 60 rows at a terminal of a width, with a clock that stands still until it is set.
func shownReport(columns int) (report *batchReport, screen *bytes.Buffer, now *time.Time) {
	screen, now = &bytes.Buffer{}, new(time.Unix(1_000, 0))
	streams := &ui.Streams{Err: screen, ErrTTY: true, UTF8: true, Columns: func() int { return columns }}
	d := &cmdutil.Deps{Streams: streams, Now: func() time.Time { return *now }}
	return &batchReport{d: d, progress: &cmdutil.Progress{Deps: d}, allRows: 60, summary: summary{BatchID: "bat_1"}}, screen, now
}

// The time that looking references up takes, and rows that were there before, say nothing of how long the others
// take.
func TestThePaceIsThatOfTheRowsThatAreSent(t *testing.T) {
	t.Parallel()
	report, screen, now := shownReport(80)
	report.Listed(20)
	*now = now.Add(time.Minute)
	report.Begin()
	for range 30 {
		require.NoError(t, report.Row(batch.Result{Outcome: batch.Created, Existed: true}))
	}
	*now = now.Add(time.Second)
	for range 15 {
		require.NoError(t, report.Row(batch.Result{Outcome: batch.Created, Requested: true}))
	}
	*now = now.Add(cmdutil.RedrawInterval)
	require.NoError(t, report.Row(batch.Result{Outcome: batch.Refused, Requested: true}))
	require.Equal(t, []string{
		"20 transfers of this batch are there", "1 of 60, 0 refused, 0 unknown", "31 of 60, 1/s, 0 refused, 0 unknown, 29s left", "46 of 60, 13/s, 1 refused, 0 unknown, 1s left",
	}, strings.Split(screen.String(), "\r\x1b[K")[1:])
	report.printSummaryLine()
	require.Contains(t, screen.String(), "45 created (30 of them before), 1 refused, 0 unknown, 0 not sent; 1.2 s, 13\n  rows/s (bat_1)")
}

func TestRowsThatWereNotSentHaveNoPace(t *testing.T) {
	t.Parallel()
	report, screen, now := shownReport(80)
	*now = now.Add(time.Minute)
	require.NoError(t, report.Row(batch.Result{Outcome: batch.NotSent}))
	report.printSummaryLine()
	require.Contains(t, screen.String(), "0 created, 0 refused, 0 unknown, 1 not sent (bat_1)")
}

// A line that the terminal would wrap could not be drawn over.
func TestProgressIsCutToTheTerminal(t *testing.T) {
	t.Parallel()
	report, screen, _ := shownReport(20)
	report.Listed(20)
	require.Equal(t, "\r\x1b[K20 transfers of th…", screen.String())
}

// The progress line gives way to the report of an outage.
func TestAnOutageIsReportedInPlaceOfTheProgress(t *testing.T) {
	t.Parallel()
	report, screen, _ := shownReport(80)
	report.Listed(20)
	screen.Reset()
	report.Unreachable(errors.New("connection refused"))
	report.Reachable()
	require.Equal(t, "\r\x1b[K! The service does not answer; trying again: connection refused\nThe service answers again.\n", screen.String())
}
