package batch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// Package outbox proves that one write is sent once. Package e2e proves that killed programs pay a file once. Here the
// service, the machine or the lists fail in rarer ways.

// troubles are what can happen to an attempt: an error before its effect, or one after it.
var troubles = map[string]struct{ before, after error }{
	"":        {},
	"lost":    {nil, refusal(payments.ProblemOutcomeUnknown, 0)},
	"late":    {refusal(payments.ProblemOutcomeUnknown, 0), nil},
	"unsent":  {refusal(payments.ProblemUnreachable, 0), nil},
	"limited": {refusal(payments.ProblemRateLimited, 429), nil},
	"refused": {refusal(payments.ProblemConflict, 409), nil},
}

// hidden are the members that lists may leave out.
var hidden = map[string]func(*payments.Transfer){
	"nothing": func(*payments.Transfer) {},
	"contact": func(t *payments.Transfer) { t.DestinationSavedContactID = "" },
	"amount":  func(t *payments.Transfer) { t.Amount, t.AmountType = nil, "" },
	"batch":   func(t *payments.Transfer) { t.Route, t.BatchID = "", "" },
}

// Two machines run the same file until every row is created. Attempts fail, lists show less, and runs are interrupted
// or killed. In the end every row has one transfer. Every run reports each row once, in the order of the file. A
// created row has the only transfer with its reference, and a row that is not sent has none. The journals alone prove
// nothing if the service cannot be asked or has lost everything.
func TestRepeatedRunsPayEveryRowOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 25).Draw(rt, "rows")
		source := file(t, n, "1")
		left := rapid.SliceOfN(rapid.SampledFrom(
			[]string{"", "", "", "lost", "late", "unsent", "limited", "refused"}), 1, 40).Draw(rt, "troubles")
		f := newFake(func(string, int) (error, error) {
			if len(left) == 0 {
				return nil, nil
			}
			next := troubles[left[0]]
			left = left[1:]
			return next.before, next.after
		})
		f.ignoresKeys, f.unique = rapid.Bool().Draw(rt, "ignores keys"), rapid.Bool().Draw(rt, "unique")
		f.ignoresFilters = rapid.Bool().Draw(rt, "ignores filters")
		f.shown = hidden[rapid.SampledFrom(slices.Sorted(maps.Keys(hidden))).Draw(rt, "hidden")]
		machines := []*machine{f.machine(t), f.machine(t)}
		ends := rapid.SliceOfN(rapid.IntRange(0, 60), 0, 4).Draw(rt, "steps until a run ends")
		for isThrough := false; !isThrough; {
			m := rapid.SampledFrom(machines).Draw(rt, "machine")
			ctx, cancel := context.WithCancelCause(t.Context())
			if len(ends) > 0 {
				f.interruptAfter(ends[0], cancel)
				if ends = ends[1:]; rapid.Bool().Draw(rt, "killed") {
					m.wrap = func(j outbox.Journal) outbox.Journal { return dying{j} }
				}
			}
			isThrough = m.requireReport(ctx, rt, source) == n
			cancel(nil)
			m.wrap, f.listing, f.leaving = nil, noTrouble, func(string) {}
			f.advance(outbox.ResendAfter)
			m.resendUnknown(rt)
		}
		left = nil
		for _, m := range machines {
			require.Equal(rt, n, m.requireReport(t.Context(), rt, source))
		}
		require.Len(rt, f.made, n)
		f.listing = func(payments.TransferFilter) error { return refusal(payments.ProblemUnauthenticated, 401) }
		report := &lines{}
		require.Error(rt, machines[0].run(source, report))
		require.Equal(rt, n, report.count(NotChecked))
		f.listing, f.made, f.keys = noTrouble, nil, map[string]keyUse{}
		for _, m := range machines {
			require.Zero(rt, m.requireReport(t.Context(), rt, source))
		}
		require.Empty(rt, f.made)
	})
}

// interruptAfter ends a run after a number of lists and attempts.
func (f *fake) interruptAfter(steps int, cancel context.CancelCauseFunc) {
	var count atomic.Int64
	step := func() {
		if count.Add(1) > int64(steps) {
			cancel(errors.New("interrupted"))
		}
	}
	f.listing = func(payments.TransferFilter) error { step(); return nil }
	f.leaving = func(string) { step() }
}

// dying is the journal of a program that is killed before it records an outcome.
type dying struct{ outbox.Journal }

func (dying) End(journal.PendingWrite, journal.Ending) error { return nil }

// requireReport runs a file, compares its report with the service, and returns how many rows are created.
func (m *machine) requireReport(ctx context.Context, t require.TestingT, source checkedFile) (created int) {
	report := &lines{}
	_ = m.runUntil(ctx, source, report)
	require.Len(t, report.results, len(source.File.Rows))
	for i, r := range report.results {
		require.Equal(t, fmt.Sprintf("r-%d", i), cell(r, "reference"))
		switch r.Outcome {
		case Created:
			require.Equal(t, []string{r.ID}, m.ids(cell(r, "reference")))
		case effect.NotSent, effect.Refused:
			require.Empty(t, m.ids(cell(r, "reference")))
		}
	}
	return report.count(Created)
}

// resendUnknown acts as a person who sends unknown writes again if the service does not show them.
func (m *machine) resendUnknown(t require.TestingT) {
	o, end := m.outbox()
	defer end()
	var open []journal.Entry
	require.NoError(t, o.Journal.Each(context.Background(), journal.Filter{Open: true}, func(e journal.Entry) error {
		open = append(open, e)
		return nil
	}))
	for _, entry := range open {
		if r := o.Resolve(context.Background(), entry); r.Err != nil && !r.IsShown && !r.IsUnanswered {
			_, _ = o.Resend(context.Background(), r) // it may fail like any attempt
		}
	}
}

// A machine may sleep in the middle of a batch for longer than keys are kept. Then it finds what another machine paid
// meanwhile: rows that it has not read, rows that it has claimed, and rows whose request was about to leave. If no
// other machine paid, it goes on.
func TestAMachineThatSleepsWhileAnotherOnePays(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*fake){
		"honours keys":               func(*fake) {},
		"keeps references unique":    func(f *fake) { f.unique, f.ignoresKeys = true, true },
		"both":                       func(f *fake) { f.unique = true },
		"neither":                    func(f *fake) { f.ignoresKeys = true },
		"neither, and ignores lists": func(f *fake) { f.ignoresKeys, f.ignoresFilters = true, true },
	} {
		for _, pays := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " ", pays), func(t *testing.T) {
				t.Parallel()
				f := newFake(nil)
				change(f)
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
}

// A row that the service has shown is not reported as not sent when it can no longer be looked up.
func TestShownRowsThatCannotBeLookedUp(t *testing.T) {
	t.Parallel()
	f, source := newFake(nil), file(t, 30, "1")
	require.NoError(t, f.machine(t).run(source, &lines{}))
	f.listing = func(filter payments.TransferFilter) error {
		if filter.Reference == "" {
			return nil
		}
		return refusal(payments.ProblemUnauthenticated, 401)
	}
	report := &lines{}
	require.Error(t, f.machine(t).run(source, report))
	require.Equal(t, 30, report.count(NotChecked))
}

// Without keys and unique references, two machines that send at the same moment pay a row twice. The run finds that at
// its end. Later runs also find it, even with another journal. Lists may lag as declared.
func TestARowThatTwoMachinesPayIsReported(t *testing.T) {
	t.Parallel()
	for _, lags := range []bool{false, true} {
		f := newFake(nil)
		f.ignoresKeys, f.ignoresFilters = true, !lags
		if lags {
			f.lag = 10 * time.Second
		}
		f.payElsewhere(map[string]payments.NewAutoTransfer{"r-3": row(3, "1", "bat_1"), "r-110": row(110, "1", "bat_1")})
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

// A row that another file has paid, and that is paid once more since, is reported too.
func TestARowOfAnotherFileThatIsPaidTwice(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	f.ignoresKeys = true
	m, source := f.machine(t), file(t, 3, "1")
	require.NoError(t, m.run(source, &lines{}, func(s *Sender) { s.BatchID = "bat_0" }))
	f.make(row(1, "1", ""))
	report := &lines{}
	require.NoError(t, m.run(source, report))
	require.Equal(t, []PaidTwice{{"r-1", f.ids("r-1")}}, report.paidTwice)
}

// A service may take a row for a repetition of another one, and answer it with that one's id.
func TestRowsWithOneTransfer(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	f.repeats = true
	report := &lines{}
	require.NoError(t, f.machine(t).run(file(t, 3, "1"), report))
	require.Equal(t, 1, report.count(Created))
	require.Equal(t, 2, report.count(effect.Unknown))
	require.Contains(t, report.results[1].Detail, "the transfer of line 2")
}

// A row that is left out because of an error may have been sent by an earlier run.
func TestRowsThatAreLeftOut(t *testing.T) {
	t.Parallel()
	f := newFake(func(reference string, _ int) (before, after error) {
		if reference == "r-0" {
			return refusal(payments.ProblemOutcomeUnknown, 0), nil
		}
		return nil, nil
	})
	f.ignoresKeys = true
	m := f.machine(t)
	require.NoError(t, m.run(file(t, 2, "1"), &lines{}))
	refused := file(t, 3, "1").File.Rows
	for _, row := range refused {
		row.Outcome = effect.Refused
	}
	o, end := m.outbox()
	defer end()
	require.NoError(t, MarkSent(t.Context(), o, refused))
	require.Equal(t, []effect.Outcome{effect.Unknown, NotChecked, effect.Refused},
		[]effect.Outcome{refused[0].Outcome, refused[1].Outcome, refused[2].Outcome})
}

// payElsewhere makes another machine pay rows just before this one does.
func (f *fake) payElsewhere(rows map[string]payments.NewAutoTransfer) {
	f.leaving = func(reference string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if request, ok := rows[reference]; ok && len(f.withReference(reference)) == 0 {
			f.make(request)
		}
	}
}

// A service that finds transfers only by reference is asked about each row after an answer was lost. If it can no
// longer be asked, the run reports that, and still reports every row.
func TestTheLookForOtherMachines(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fails       payments.ProblemType // the error of lists without a reference
		isPaidTwice bool
	}{
		"paid once": {payments.ProblemNotImplemented, false}, "paid twice": {payments.ProblemNotImplemented, true},
		"not answered": {payments.ProblemUnauthenticated, false},
	} {
		f := newFake(func(reference string, attempt int) (before, after error) {
			if reference == "r-2" && attempt == 1 {
				return nil, refusal(payments.ProblemOutcomeUnknown, 0)
			}
			return nil, nil
		})
		f.ignoresKeys = true
		f.listing = func(filter payments.TransferFilter) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			if filter.Reference == "" && (len(f.made) > 0 || test.fails == payments.ProblemNotImplemented) {
				return refusal(test.fails, payments.Describe(test.fails).Status)
			}
			return nil
		}
		if test.isPaidTwice {
			f.payElsewhere(map[string]payments.NewAutoTransfer{"r-3": row(3, "1", "bat_other")})
		}
		report := &lines{}
		err := f.machine(t).run(file(t, 4, "1"), report)
		require.Equal(t, test.isPaidTwice, len(report.paidTwice) > 0, name)
		if test.fails == payments.ProblemUnauthenticated {
			require.ErrorIs(t, err, ErrUnchecked)
			require.True(t, payments.IsProblem(err, test.fails))
			require.Equal(t, 3, report.count(Created))
		} else {
			require.NotErrorIs(t, err, ErrUnchecked, name)
		}
	}
}

// If all but one of the transfers with a reference are canceled, as the message advises, the row was paid once. It does
// not matter which one is left, or which one the journal has.
func TestPaidTwiceAndCanceled(t *testing.T) {
	t.Parallel()
	for _, canceled := range [][]int{{}, {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}} {
		for _, hasJournal := range []bool{true, false} {
			f := newFake(nil)
			f.ignoresKeys = true
			m := f.machine(t)
			require.NoError(t, m.run(file(t, 1, "5.00"), &lines{}))
			f.made = slices.Repeat(f.made, 3)
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

// Lookups of rows that an earlier run left unknown also wait out an outage or a 429. A service that cannot look up
// stops the batch. The rows stay unknown until they are looked up.
func TestOldUnknownRowsAreLookedUpWithPatience(t *testing.T) {
	t.Parallel()
	for _, answer := range []struct {
		err   error
		until time.Duration // how long the service answers like this
		ends  bool
	}{
		{refusal(payments.ProblemRateLimited, 429), 20 * time.Second, false},
		{refusal(payments.ProblemUnreachable, 0), 20 * time.Second, false},
		{refusal(payments.ProblemUnreachable, 0), time.Hour, true},
		{refusal(payments.ProblemUnauthenticated, 401), time.Hour, true},
		{refusal(payments.ProblemInternal, 500), time.Hour, true},
	} {
		lost := 0
		f := newFake(func(string, int) (error, error) {
			if lost++; lost%2 == 0 {
				return refusal(payments.ProblemOutcomeUnknown, 0), nil
			}
			return nil, nil
		})
		f.ignoresKeys = true
		m, source := f.machine(t), file(t, 80, "1")
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
		require.Len(t, f.made, 40, "a write that may have left is not sent again")
	}
}
