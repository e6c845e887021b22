package transfer

import (
	"bytes"
	"errors"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/ui"
)

// shownReport is a report of 60 rows at a terminal, with a clock that stands still until it is set. Screen returns what
// was printed, without the progress.
func shownReport(t *testing.T) (report *batchReport, screen func() string, now *time.Time) {
	t.Helper()
	var printed bytes.Buffer
	now = new(time.Unix(1_000, 0))
	streams := &ui.Streams{Err: &printed, ErrTTY: true, UTF8: true}
	d := &cmdutil.Deps{Streams: streams, Now: func() time.Time { return *now }}
	report = &batchReport{d: d, summary: summary{BatchID: "bat_1"}}
	report.progress = d.StartProgress(60, "", tallies...)
	report.progress.Stop() // so that its line is drawn at no time of its own
	return report, func() string {
		return regexp.MustCompile("\r[^\r]*\x1b\\[J\r?").ReplaceAllString(printed.String(), "")
	}, now
}

// The time that looking references up takes, and rows that were there before, say nothing of how fast the others are
// sent.
func TestTheSummaryHasThePaceOfTheRowsThatWereSent(t *testing.T) {
	t.Parallel()
	report, screen, now := shownReport(t)
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
	*now = now.Add(200 * time.Millisecond)
	require.NoError(t, report.Row(batch.Result{Outcome: batch.Refused, Requested: true}))
	report.printSummaryLine()
	require.Contains(t, screen(), "45 created (30 of them before), 1 refused, 0 unknown, 0 not sent; 1.2 s, 13\n  rows/s (bat_1)")
}

func TestRowsThatWereNotSentHaveNoPace(t *testing.T) {
	t.Parallel()
	report, screen, now := shownReport(t)
	*now = now.Add(time.Minute)
	require.NoError(t, report.Row(batch.Result{Outcome: batch.NotSent}))
	report.printSummaryLine()
	require.Contains(t, screen(), "0 created, 0 refused, 0 unknown, 1 not sent (bat_1)")
}

func TestAnOutageIsReported(t *testing.T) {
	t.Parallel()
	report, screen, _ := shownReport(t)
	report.Unreachable(errors.New("connection refused"))
	report.Reachable()
	require.Equal(t, "! The service does not answer; trying again: connection refused\nThe service answers again.\n", screen())
}
