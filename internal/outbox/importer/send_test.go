package importer

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/pace"
	"github.com/payctl/payctl/internal/payments"
)

// sent sends rows with a fake service, and a clock that only goes on while the sender sleeps.
func sent(
	t *testing.T, count int, create func(row string, attempt int) (Made, error),
) (results []Result, events []string, err error) {
	t.Helper()
	var mu sync.Mutex
	now, attempts := time.Unix(0, 0), map[string]int{}
	note := func(event string) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, event)
	}
	var ended atomic.Int64
	s := &Sender[string]{
		Create: func(_ context.Context, row string) (Made, error) {
			mu.Lock()
			attempts[row]++
			attempt := attempts[row]
			mu.Unlock()
			return create(row, attempt)
		},
		Shown: func(row string) any { return map[string]string{"externalId": row} }, Concurrency: 4,
		Patience: time.Minute, RowTimeout: time.Hour,
		Now: func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return now
		},
		Sleep: func(_ context.Context, d time.Duration) error {
			mu.Lock()
			defer mu.Unlock()
			now = now.Add(d)
			return nil
		},
		Unreachable: func(error) { note("unreachable") }, Reachable: func() { note("reachable") },
		Paused: func(time.Time) {}, Ended: func(pace.Outcome) { ended.Add(1) },
	}
	var file []*Row[string]
	for i := range count {
		file = append(file, &Row[string]{Line: i + 2, Request: fmt.Sprintf("r-%d", i)})
	}
	results, err = s.Run(t.Context(), file)
	require.EqualValues(t, count, ended.Load())
	for i := range results {
		require.Equal(t, i+2, results[i].Line, "in the order of the file")
	}
	return results, events, err
}

func outcomes(results []Result) map[pace.Outcome]int {
	all := map[pace.Outcome]int{}
	for i := range results {
		all[results[i].Outcome]++
	}
	return all
}

func problem(kind payments.Kind, status int) *payments.ProblemError {
	p := payments.NewLocalProblem(kind, nil, "No.", "")
	p.Status = status
	return p
}

// TestOutcomesOfRows tells what became of each row.
func TestOutcomesOfRows(t *testing.T) {
	t.Parallel()
	used := &outbox.ExternalIDUsedError{
		ProblemError: problem(payments.KindExternalIDUsed, 0), ID: "acc_1", State: "approved", Differences: []string{"email"},
	}
	results, _, err := sent(t, 5, func(row string, _ int) (Made, error) {
		switch row {
		case "r-1":
			return Made{ID: "acc_2", Status: "pending", Existed: true}, nil
		case "r-2":
			return Made{}, used
		case "r-3":
			return Made{}, problem(payments.KindValidation, 400)
		case "r-4":
			return Made{}, problem(payments.KindOutcomeUnknown, 0)
		}
		return Made{ID: "acc_3", Status: "pending"}, nil
	})
	require.NoError(t, err)
	var all []string
	for i := range results {
		all = append(all, fmt.Sprint(results[i].Outcome, " ", results[i].ID, " ", results[i].Status))
	}
	require.Equal(t, []string{"created acc_3 pending", "existed acc_2 pending", "different acc_1 approved", "refused  ", "unknown  "}, all)
	require.Equal(t, "it exists and differs in email", results[2].Detail)
}

// TestOutagesAndRateLimitsAreWaitedOut sends every row again that the service has not taken.
func TestOutagesAndRateLimitsAreWaitedOut(t *testing.T) {
	t.Parallel()
	limited := problem(payments.KindRateLimited, 429)
	limited.RetryAfter = 10 * time.Second
	results, events, err := sent(t, 20, func(row string, attempt int) (Made, error) {
		switch {
		case attempt == 1:
			return Made{}, limited
		case row == "r-3" && attempt < 5:
			return Made{}, problem(payments.KindUnreachable, 0)
		}
		return Made{ID: "acc"}, nil
	})
	require.NoError(t, err)
	require.Equal(t, map[pace.Outcome]int{Created: 20}, outcomes(results))
	require.Contains(t, events, "unreachable")
}

// TestAnImportThatStops reports the rows that were not reached.
func TestAnImportThatStops(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{
		"no login":           problem(payments.KindUnauthenticated, 401),
		"never reachable":    problem(payments.KindUnreachable, 0),
		"no row has success": problem(payments.KindOutcomeUnknown, 500),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			results, _, err := sent(t, 100, func(row string, _ int) (Made, error) {
				if len(row) == len("r-0") {
					return Made{ID: "acc"}, nil
				}
				return Made{}, failure
			})
			require.ErrorIs(t, err, failure)
			all := outcomes(results)
			require.LessOrEqual(t, all[Created], 10)
			require.Greater(t, all[Created], 5, "those that others had begun when the import stopped may not have been sent")
			require.Greater(t, all[NotChecked], 50, "%v", all)
			require.Equal(t, 100, all[Created]+all[NotChecked]+all[pace.Unknown])
		})
	}
}
