package batch

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// kinds are the four kinds of service.
var kinds = map[string]func(*fake){
	"honours keys":               func(*fake) {},
	"keeps references unique":    func(f *fake) { f.unique, f.ignoresKeys = true, true },
	"both":                       func(f *fake) { f.unique = true },
	"neither":                    func(f *fake) { f.ignoresKeys = true },
	"neither, and ignores lists": func(f *fake) { f.ignoresKeys, f.ignoresFilters = true, true },
}

// eachKind runs a test with a new service of each kind.
func eachKind(t *testing.T, test func(t *testing.T, f *fake)) {
	for name, change := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(nil)
			change(f)
			test(t, f)
		})
	}
}

// A machine that sleeps in the middle of a batch for longer than keys are kept finds afterwards what another one paid
// meanwhile: rows that it has not read yet, rows that it has claimed, and rows whose request was about to leave. If no
// other one paid, it goes on.
func TestAMachineThatSleepsWhileAnotherOnePays(t *testing.T) {
	t.Parallel()
	for _, pays := range []bool{true, false} {
		eachKind(t, func(t *testing.T, f *fake) {
			a, b, source := f.machine(t), f.machine(t), file(t, 60, "1")
			slept := false
			f.leaving = func(reference string) {
				if reference == "r-20" && !slept {
					slept = true
					if pays {
						require.NoError(t, b.run(source, &lines{}))
					}
					f.advance(25 * time.Hour)
				}
			}
			report := &lines{}
			require.NoError(t, a.run(source, report, func(s *Sender) { s.Concurrency = 1 }))
			require.True(t, slept)
			require.Equal(t, 60, report.count(Created))
			for i, r := range report.results {
				require.Equal(t, []string{r.ID}, f.ids(cell(r, "reference")))
				require.Equal(t, pays && i >= 20, r.ExistedBefore())
			}
			require.Empty(t, report.paidTwice)
		})
	}
}

// Lists that show less than a row asks for, or something else, neither pay a row again nor have it refused, with the journal
// and without it, and also after an answer was lost. What is not there any more as it was asked for is not done.
func TestListsByHalves(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, f *fake) {
		f.answer = func(reference string, attempt int) (before, after error) {
			if reference == "r-3" && attempt == 1 {
				return nil, refusal(payments.ProblemOutcomeUnknown, 0)
			}
			return nil, nil
		}
		m, source := f.machine(t), file(t, 9, "1")
		require.NoError(t, m.run(source, &lines{}))
		for _, shown := range []func(*payments.Transfer){
			func(t *payments.Transfer) { t.DestinationSavedContactID = "" },
			func(t *payments.Transfer) { t.Amount, t.AmountType = nil, "" },
			func(t *payments.Transfer) { t.Route, t.BatchID = "", "" },
		} {
			f.shown = shown
			for _, m := range []*machine{m, f.machine(t)} {
				report := &lines{}
				require.NoError(t, m.run(source, report))
				require.Equal(t, 9, report.count(Created))
				require.Len(t, f.made, 9)
			}
		}
		f.shown = nil
		for i := range f.made {
			f.made[i].Amount = new(money.MustDecimal("2"))
		}
		report := &lines{}
		require.NoError(t, m.run(source, report))
		require.Zero(t, report.count(Created), "it shows another amount")
		require.Len(t, f.made, 9)
	})
}

// A service that finds a transfer by its reference alone is asked about each row after an answer was lost.
func TestNoListButALookup(t *testing.T) {
	t.Parallel()
	for _, isPaidTwice := range []bool{false, true} {
		f := newFake(func(reference string, attempt int) (before, after error) {
			if reference == "r-2" && attempt == 1 {
				return nil, refusal(payments.ProblemOutcomeUnknown, 0)
			}
			return nil, nil
		})
		f.ignoresKeys = true
		f.listing = func(filter payments.TransferFilter) error {
			if filter.Reference == "" {
				return refusal(payments.ProblemNotImplemented, 501)
			}
			return nil
		}
		f.leaving = func(reference string) {
			f.mu.Lock()
			defer f.mu.Unlock()
			if isPaidTwice && reference == "r-3" && len(f.withReference(reference)) == 0 {
				f.make(row(3, "1", "bat_other"))
			}
		}
		report := &lines{}
		err := f.machine(t).run(file(t, 4, "1"), report)
		require.NotErrorIs(t, err, ErrUnchecked)
		require.Equal(t, isPaidTwice, len(report.paidTwice) > 0)
	}
}

// Without keys and unique references two machines at the same moment pay a row twice. That is found afterwards: by
// the machine that comes to its end, by a later run, and by one with another journal, also if lists lag as declared.
func TestARowThatTwoMachinesPayIsReported(t *testing.T) {
	t.Parallel()
	for _, lags := range []bool{false, true} {
		f := newFake(nil)
		f.ignoresKeys, f.ignoresFilters = true, !lags
		if lags {
			f.lag = 10 * time.Second
		}
		f.leaving = func(reference string) {
			if reference == "r-3" || reference == "r-110" {
				f.mu.Lock()
				defer f.mu.Unlock()
				if len(f.withReference(reference)) == 0 {
					var n int
					_, err := fmt.Sscanf(reference, "r-%d", &n)
					require.NoError(t, err)
					f.make(row(n, "1", "bat_1"))
				}
			}
		}
		m, source := f.machine(t), file(t, 120, "1")
		for i, m := range []*machine{m, m, f.machine(t)} {
			report := &lines{}
			require.NoError(t, m.run(source, report))
			require.Equal(t, []PaidTwice{{"r-110", f.ids("r-110")}, {"r-3", f.ids("r-3")}}, report.paidTwice, i)
			require.Len(t, report.paidTwice[0].TransferIDs, 2)
			require.Equal(t, 120, report.count(Created), i)
			require.Len(t, f.made, 122)
		}
	}
}

// Once all but one of the transfers with a reference were canceled, as the message advises, the row was paid once, whichever
// they were, and whichever the journal knows.
func TestPaidTwiceAndCanceled(t *testing.T) {
	t.Parallel()
	for _, canceled := range [][]int{{}, {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}} {
		for _, hasJournal := range []bool{true, false} {
			f := newFake(nil)
			f.ignoresKeys = true
			m := f.machine(t)
			require.NoError(t, m.run(file(t, 1, "5.00"), &lines{}))
			f.made = []payments.Transfer{f.made[0], f.made[0], f.made[0]}
			f.made[1].ID, f.made[2].ID = "second", "third"
			for _, at := range canceled {
				f.made[at].State = payments.TransferStateCanceled
			}
			if !hasJournal {
				m = f.machine(t)
			}
			report := &lines{}
			require.NoError(t, m.run(file(t, 1, "5.00"), report))
			require.Equal(t, 1, report.count(Created))
			if len(canceled) == 2 {
				require.Empty(t, report.paidTwice, "canceled %v, journal %t", canceled, hasJournal)
			} else {
				require.Len(t, report.paidTwice[0].TransferIDs, 3-len(canceled))
			}
		}
	}
}

// That the last look for other machines fails is reported, and every row all the same.
func TestTheLookForOtherMachinesFails(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	f.ignoresKeys = true
	f.listing = func(filter payments.TransferFilter) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		if filter.Reference == "" && len(f.made) > 0 {
			return refusal(payments.ProblemUnauthenticated, 401)
		}
		return nil
	}
	report := &lines{}
	err := f.machine(t).run(file(t, 30, "1"), report)
	require.ErrorIs(t, err, ErrUnchecked)
	require.True(t, payments.IsProblem(err, payments.ProblemUnauthenticated))
	require.Equal(t, 30, report.count(Created))
}

// A row that was paid keeps its outcome and its identifier whenever a run is interrupted. No row that the service may
// have is reported as not sent, and none that was not checked.
func TestARunThatIsInterruptedKnowsWhatIsPaid(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, f *fake) {
		source := file(t, 120, "1")
		// A first run has paid most rows. The outcome of a few is unknown, or was refused.
		f.answer = func(reference string, _ int) (error, error) {
			switch reference {
			case "r-7":
				return nil, refusal(payments.ProblemOutcomeUnknown, 0)
			case "r-8":
				return refusal(payments.ProblemLimitExceeded, 409), nil
			case "r-100":
				return refusal(payments.ProblemUnauthenticated, 401), nil
			}
			return nil, nil
		}
		m := f.machine(t)
		require.Error(t, m.run(source, &lines{}))
		f.answer = func(string, int) (error, error) { return nil, nil }
		require.Greater(t, len(f.made), 90)
		why := errors.New("interrupted")
		for moment := range 5 {
			ctx, cancel := context.WithCancelCause(t.Context())
			calls := 0
			call := func() error {
				f.mu.Lock()
				defer f.mu.Unlock()
				if calls++; calls > 5*moment*moment {
					cancel(why)
				}
				return context.Cause(ctx)
			}
			f.listing = func(payments.TransferFilter) error { return call() }
			report := &lines{each: func(*Row) { _ = call() }}
			m := m
			if moment%2 == 1 {
				m = f.machine(t)
			}
			require.Error(t, m.runUntil(ctx, source, report))
			require.Len(t, report.results, 120)
			for _, r := range report.results {
				switch ids := f.ids(cell(r, "reference")); {
				case r.Outcome == Created:
					require.Equal(t, []string{r.ID}, ids)
				case r.Outcome == effect.NotSent:
					require.Empty(t, ids, cell(r, "reference"))
				}
			}
		}
	})
}

// What the journal has as done proves nothing about a service that cannot be asked, or that was restored since.
func TestTheJournalAloneProvesNothing(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, f *fake) {
		m := f.machine(t)
		require.NoError(t, m.run(file(t, 30, "1"), &lines{}))
		f.listing = func(payments.TransferFilter) error { return refusal(payments.ProblemUnreachable, 0) }
		report := &lines{}
		require.Error(t, m.run(file(t, 40, "1"), report))
		require.Equal(t, 40, report.count(NotChecked))
		f.listing = func(payments.TransferFilter) error { return nil }
		f.made, f.keys = nil, map[string]keyUse{}
		report = &lines{}
		_ = m.run(file(t, 30, "1"), report)
		require.Zero(t, report.count(Created), "none of them is there")
		require.Empty(t, f.made, "and none is sent again by itself")
	})
}

// The rows of a file that another file has paid are paid before, by the batch of that file.
func TestRowsThatAnotherFilePaid(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, f *fake) {
		m := f.machine(t)
		require.NoError(t, m.run(file(t, 20, "1"), &lines{}, func(s *Sender) { s.BatchID = "bat_old" }))
		o, end := m.outbox()
		plan := Plan{BatchID: "bat_new"}
		require.NoError(t, plan.FindPaidBefore(t.Context(), file(t, 30, "1").File.Rows, o))
		require.Equal(t, []PaidBefore{{BatchID: "bat_old", File: "rows.csv", Day: "2026-01-02", Rows: 20}}, plan.PaidBefore)
		end()
		report := &lines{}
		require.NoError(t, m.run(file(t, 30, "1"), report, func(s *Sender) { s.BatchID = "bat_new" }))
		require.Len(t, f.made, 30)
		for i, r := range report.results {
			require.Equal(t, Created, r.Outcome)
			require.Equal(t, i < 20, r.ExistedBefore(), cell(r, "reference"))
			require.Equal(t, i < 20, r.Earlier.BatchID == "bat_old" && r.Made == "before", cell(r, "reference"))
		}
	})
}

// A service that does not show the batch of its transfers does not show which rows are paid.
func TestAServiceThatDoesNotShowBatches(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	f.ignoresFilters = true
	for n := range 50 {
		f.make(row(n, "1", ""))
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	report := &lines{each: func(*Row) { cancel(errors.New("interrupted")) }}
	require.Error(t, f.machine(t).runUntil(ctx, file(t, 100, "1"), report))
	require.Len(t, report.results, 100)
	require.Equal(t, NotChecked, report.results[99].Outcome)
	for _, r := range report.results {
		if r.Outcome == effect.NotSent {
			require.Empty(t, f.ids(cell(r, "reference")), cell(r, "reference"))
		}
	}
}

// Rows that are unknown since an earlier run are looked up with the same patience: an outage and a 429 are waited for,
// and a service that cannot look up stops the batch. Until they are looked up the rows stay unknown.
func TestOldUnknownRowsAreLookedUpWithPatience(t *testing.T) {
	t.Parallel()
	for _, answer := range []struct {
		err   error
		until time.Duration // for which the service answers so
		ends  bool
	}{
		{refusal(payments.ProblemRateLimited, 429), 20 * time.Second, false},
		{refusal(payments.ProblemUnreachable, 0), 20 * time.Second, false},
		{refusal(payments.ProblemUnreachable, 0), time.Hour, true},
		{refusal(payments.ProblemUnauthenticated, 401), time.Hour, true},
		{refusal(payments.ProblemInternal, 500), time.Hour, true},
	} {
		f := newFake(nil)
		f.ignoresKeys = true
		m, source := f.machine(t), file(t, 80, "1")
		lost := 0
		f.answer = func(string, int) (error, error) {
			if lost++; lost%2 == 0 {
				return refusal(payments.ProblemOutcomeUnknown, 0), nil
			}
			return nil, nil
		}
		require.NoError(t, m.run(source, &lines{}))
		f.answer = func(string, int) (error, error) { return nil, nil }
		f.advance(outbox.ResendAfter)
		begins, lookups := f.clock(), 0
		f.listing = func(filter payments.TransferFilter) error {
			if filter.Reference == "" || f.clock().Sub(begins) > answer.until {
				return nil
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			lookups++
			return answer.err
		}
		report := &lines{}
		err := m.run(source, report)
		require.Equal(t, answer.ends, err != nil, "%v", answer.err)
		require.Less(t, lookups, 60)
		require.Zero(t, report.count(effect.NotSent))
		require.Equal(t, len(f.made), report.count(Created))
		require.Equal(t, 80-len(f.made), report.count(effect.Unknown))
		require.Len(t, f.made, 40, "what may have left is not sent again")
	}
}

// fullJournal has room for so many claims.
type fullJournal struct {
	outbox.Journal
	room int
	err  error
}

func (j *fullJournal) Claim(ctx context.Context, intents []journal.PendingWrite, mode journal.Mode) ([]journal.Claim, error) {
	if j.room--; j.room < 0 {
		return nil, j.err
	}
	return j.Journal.Claim(ctx, intents, mode)
}

// A run may end between recording rows and looking them up. The next run looks them up: a service that has forgotten
// their keys would otherwise pay them twice. What it finds is done for the run after it.
func TestRowsThatARunRecordedAndDidNotSend(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, f *fake) {
		for n := range 30 {
			f.make(row(n, "1", map[bool]string{true: "bat_1", false: "bat_0"}[n == 4]))
		}
		m := f.machine(t)
		killed, kill := m.outbox()
		claimed := make([]*outbox.Write, 20)
		for n := range claimed {
			claimed[n] = outbox.NewAutoTransfer(row(n, "1", "bat_1"), payments.Idempotency{})
		}
		require.NoError(t, killed.Claim(t.Context(), claimed))
		kill()
		f.advance(25 * time.Hour)
		for range 2 {
			report := &lines{}
			require.NoError(t, m.run(file(t, 30, "1"), report))
			require.Equal(t, 30, report.count(Created), "the batch is no part of a payment")
			require.Equal(t, []string{report.results[4].ID}, f.ids("r-4"))
			require.Len(t, f.made, 30)
		}
	})
}
