package batch

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// A file that was edited, or shares rows with another, is another batch. Where that one was paid on another machine, or so
// long ago that its keys are forgotten, its rows are found by their references and not paid again.
func TestRowsThatAnotherBatchHasPaid(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{30, 3 * maxCertain} {
		f := newFake(nil)
		require.NoError(t, f.sender().Run(t.Context(), file(t, rows-10, "1"), &lines{}))
		f.journal, f.attempts = map[string]payments.JournalEntry{}, map[string]int{}
		edited := f.sender()
		edited.BatchID = "bat_2"
		edited.Differences = func(n payments.NewAutoTransfer, t payments.Transfer) (found []string) {
			if n.BatchID != t.BatchID && t.Reference != "r-3" { // which was made without a batch, say
				found = append(found, "batch: there "+t.BatchID+", here "+n.BatchID)
			}
			return found
		}
		var all sample
		for n := range rows {
			all.add(fmt.Sprintf("r-%d", n))
		}
		edited.Sample = all.references
		report := &lines{}
		require.NoError(t, edited.Run(t.Context(), file(t, rows, "1"), report))
		require.Equal(t, rows-11, report.count(Refused))
		require.Equal(t, 11, report.count(Created))
		require.Equal(t, "payctl:reference-reused", report.results[0].ProblemType)
		require.Contains(t, report.results[0].Detail, "batch: there bat_1, here bat_2")
		require.Equal(t, f.made["r-3"].ID, report.results[3].TransferID)
		require.True(t, report.results[3].Before)
		require.True(t, report.results[3].Asked)
		require.False(t, report.results[rows-1].Before)
		require.Len(t, f.attempts, 10, "nothing else was sent")
	}
}

// A run that looks references up may die before it has: rows that it put down, and nobody knows whether it sent, are looked up
// by the next one too. At a service that has forgotten their keys they would be paid twice otherwise.
func TestRowsThatARunPutDownAndDidNotLookUp(t *testing.T) {
	t.Parallel()
	for _, outcome := range []payments.Outcome{payments.OutcomeSending, payments.OutcomeUnknown, payments.OutcomeNotSent} {
		for _, open := range []int{5, 30} {
			f := newFake(nil)
			require.NoError(t, f.sender().Run(t.Context(), file(t, 30, "1"), &lines{}))
			f.journal, f.attempts = map[string]payments.JournalEntry{}, map[string]int{}
			edited := f.sender()
			edited.BatchID = "bat_2"
			for n := range 30 {
				reference := fmt.Sprintf("r-%d", n)
				edited.Sample = append(edited.Sample, reference)
				if n < open {
					f.journal[reference] = payments.JournalEntry{Intent: payments.Intent{Key: reference}, Result: payments.Result{Outcome: outcome}}
				}
			}
			edited.Differences = func(n payments.NewAutoTransfer, _ payments.Transfer) (found []string) {
				if n.Reference != "r-4" { // which was made by the run that died, say
					found = []string{"batch"}
				}
				return found
			}
			report := &lines{}
			require.NoError(t, edited.Run(t.Context(), file(t, 30, "1"), report))
			require.Equal(t, 29, report.count(Refused))
			require.Equal(t, 1, report.count(Created))
			require.Empty(t, f.attempts, "nothing was sent")
			if outcome != payments.OutcomeNotSent {
				require.Equal(t, payments.OutcomeDone, f.journal["r-4"].Outcome)
				require.Equal(t, outcome, f.journal["r-3"].Outcome, "that one is another's")
			}
		}
	}
}

// What a run found by looking it up is done for the next one, which may look less and comes when keys are forgotten.
func TestARowThatWasFoundIsDoneForTheNextRun(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	require.NoError(t, f.sender().Run(t.Context(), file(t, 2, "1"), &lines{}))
	f.journal, f.attempts = map[string]payments.JournalEntry{}, map[string]int{}
	for _, every := range []bool{true, false} {
		other := f.sender()
		other.BatchID, other.Sample, other.Every = "bat_2", []string{"r-9"}, every
		other.Differences = func(payments.NewAutoTransfer, payments.Transfer) []string { return nil }
		report := &lines{}
		require.NoError(t, other.Run(t.Context(), file(t, 30, "1"), report))
		require.Equal(t, 30, report.count(Created))
		for _, reference := range []string{"r-0", "r-1"} {
			require.Equal(t, payments.OutcomeDone, f.journal[reference].Outcome)
			require.Equal(t, f.made[reference].ID, f.journal[reference].Subject)
			require.Zero(t, f.attempts[reference])
		}
	}
}

// Where a sample is not enough, every row is looked up, however few are shared.
func TestEveryReferenceIsLookedUp(t *testing.T) {
	t.Parallel()
	for _, every := range []bool{false, true} {
		f := newFake(nil)
		require.NoError(t, f.sender().Run(t.Context(), file(t, 2, "1"), &lines{}))
		f.journal, f.attempts = map[string]payments.JournalEntry{}, map[string]int{}
		other := f.sender()
		other.BatchID, other.Sample, other.Every = "bat_2", []string{"r-9"}, every
		report := &lines{}
		require.NoError(t, other.Run(t.Context(), file(t, 30, "1"), report))
		require.Equal(t, map[bool]int{false: 0, true: 2}[every], report.count(Refused))
		require.Equal(t, map[bool]int{false: 30, true: 28}[every], len(f.attempts))
	}
}

func TestASampleStandsForAFile(t *testing.T) {
	t.Parallel()
	var s sample
	for n := range maxCertain {
		s.add(fmt.Sprint(n))
	}
	require.Len(t, s.references, maxCertain, "all of a small one")
	for n := range 9 * maxCertain {
		s.add(fmt.Sprint(maxCertain + n))
		require.LessOrEqual(t, len(s.references), maxCertain)
		require.GreaterOrEqual(t, len(s.references), maxCertain/2)
	}
	for n, reference := range s.references {
		require.Equal(t, fmt.Sprint(16*n), reference, "they stand evenly apart")
	}
}

// Before the first row a service that is asked too often, or away for a moment, is waited for like later.
func TestTheBeginningIsAsPatientAsTheRows(t *testing.T) {
	t.Parallel()
	limited := refusal(payments.KindRateLimited, 429)
	limited.RetryAfter = 10 * time.Second
	f := newFake(nil)
	s := f.sender()
	busy := &busyLister{fake: f, errs: []error{limited, refusal(payments.KindUnreachable, 0), nil, limited, nil, refusal(payments.KindUnusable, 0), refusal(payments.KindInternal, 500)}}
	s.Service, s.Sample, s.Concurrency = busy, []string{"r-0", "r-1", "r-2"}, 1
	report := &lines{}
	require.NoError(t, s.Run(t.Context(), file(t, 30, "1"), report))
	require.Equal(t, 30, report.count(Created))
	require.Empty(t, busy.errs)
	require.GreaterOrEqual(t, f.now.Sub(time.Unix(0, 0)), 20*time.Second)
	require.Equal(t, []string{
		"trouble: no", "recovered", "looked up 0 of 3", "looked up 1 of 3", "trouble: no", "recovered", "looked up 2 of 3", "looked up 3 of 3", "begun",
	}, report.told, "each outage is told once")
}

// A batch that ends before its first row reports every row all the same.
func TestABatchThatCannotBeginReportsEveryRow(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	s := f.sender()
	s.Service = unlisted{f}
	report := &lines{}
	require.Error(t, s.Run(t.Context(), file(t, 30, "1"), report))
	require.Equal(t, 30, report.count(NotSent))
	require.Empty(t, f.attempts)
}

// unlisted is a service whose list cannot be had.
type unlisted struct{ *fake }

func (unlisted) ListTransfers(context.Context, payments.TransferFilter) (payments.TransferPage, error) {
	return payments.TransferPage{}, refusal(payments.KindUnreachable, 0)
}
