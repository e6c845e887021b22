package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// Every row is reported once, in the order of the file. With another journal nothing is sent again.
func TestRowsAreSentOnceAndReportedInTheirOrder(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	source := file(t, 130, "1.50")
	for run := range 2 {
		report := &lines{}
		require.NoError(t, f.machine(t).run(source, report))
		require.Len(t, report.results, 130)
		for i, r := range report.results {
			require.Equal(t, fmt.Sprintf("r-%d", i), cell(r, "reference"))
			require.Equal(t, Created, r.Outcome)
			require.Equal(t, []string{r.ID}, f.ids(cell(r, "reference")))
			require.Equal(t, "USDC 1.50", r.Sum.Currency+" "+r.Sum.Amount.String())
			require.Equal(t, run == 1, r.ExistedBefore())
		}
		require.Equal(t, []string{"begun"}, report.calls)
	}
	for reference, n := range f.attempts {
		require.Equal(t, 1, n, reference)
	}
	require.LessOrEqual(t, f.most, 4)
}

func TestAnOutageEndsTheBatchAndTellsWhatWasNotSent(t *testing.T) {
	t.Parallel()
	down := false
	f := newFake(func(reference string, _ int) (error, error) {
		if down = down || len(reference) > 3; down { // from r-10 on, for every row
			return refusal(payments.ProblemUnreachable, 0), nil
		}
		return nil, nil
	})
	report := &lines{}
	err := f.machine(t).run(file(t, 50, "1"), report)
	require.ErrorContains(t, err, "no")
	require.Len(t, report.results, 50)
	require.Equal(t, len(f.made), report.count(Created))
	require.Equal(t, 50-len(f.made), report.count(effect.NotSent))
	require.LessOrEqual(t, len(f.made), 10)
	require.Greater(t, f.took(), time.Minute, "it was tried for a while")
	calls := slices.DeleteFunc(report.calls, func(call string) bool { return call == "trouble: <nil>" })
	require.Equal(t, []string{"begun", "trouble: no"}, calls, "an outage is reported once")
}

func TestWhatStopsABatchAndWhatDoesNot(t *testing.T) {
	t.Parallel()
	long := refusal(payments.ProblemRateLimited, 429)
	long.RetryAfter = time.Hour // longer than a person waits
	for _, c := range []struct {
		err     error
		outcome effect.Outcome
		stops   bool
	}{
		{refusal(payments.ProblemLimitExceeded, 409), effect.Refused, false},
		{refusal(payments.ProblemKYCRequired, 403), effect.Refused, false},
		{refusal(payments.ProblemOutcomeUnknown, 0), effect.Unknown, false},
		{refusal(payments.ProblemUnauthenticated, 401), effect.NotSent, true},
		{refusal(payments.ProblemInsufficientScope, 403), effect.NotSent, true},
		{refusal(payments.ProblemJournal, 0), effect.NotSent, true},
		{refusal(payments.ProblemMoved, 308), effect.NotSent, true},
		{refusal(payments.ProblemRefused, 404), effect.Refused, false},
		{errors.New("no credential"), effect.NotSent, true},
		{long, effect.NotSent, true},
	} {
		f := newFake(func(reference string, _ int) (error, error) {
			if reference == "r-3" {
				return c.err, nil
			}
			return nil, nil
		})
		report := &lines{}
		err := f.machine(t).run(file(t, 30, "1"), report)
		require.Len(t, report.results, 30)
		require.Equal(t, c.outcome, report.results[3].Outcome, "%v", c.err)
		require.Equal(t, c.stops, err != nil, "%v", c.err)
		if !c.stops {
			require.Equal(t, 29, report.count(Created))
		}
	}
}

// One row after another that ends as unknown, or is refused by a proxy before the service, stops the batch. One now and then
// does not.
func TestHopelessRows(t *testing.T) {
	t.Parallel()
	unknown, proxy := refusal(payments.ProblemOutcomeUnknown, 0), refusal(payments.ProblemRefused, 404)
	for _, c := range []struct {
		every         int
		before, after error
		outcome       effect.Outcome
	}{{1, nil, unknown, effect.Unknown}, {1, proxy, nil, effect.Refused}, {4, nil, unknown, effect.Unknown}} {
		calls := 0
		f := newFake(func(string, int) (error, error) {
			if calls++; calls%c.every == 0 {
				return c.before, c.after
			}
			return nil, nil
		})
		report := &lines{}
		err := f.machine(t).run(file(t, 100, "1"), report)
		require.Len(t, report.results, 100)
		require.Equal(t, c.every == 1, err != nil)
		require.Equal(t, c.every == 1, report.count(effect.NotSent) > 0)
		require.Less(t, report.count(c.outcome), 30)
	}
}

func TestAReferenceOfAnotherTransferIsRefusedWithBothShown(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*fake){
		func(*fake) {}, func(f *fake) { f.unique = true }, func(f *fake) { f.ignoresKeys = true },
	} {
		f := newFake(nil)
		change(f)
		m := f.machine(t)
		require.NoError(t, m.run(file(t, 3, "1"), &lines{}))
		for _, m := range []*machine{m, f.machine(t)} {
			report := &lines{}
			require.NoError(t, m.run(file(t, 3, "2"), report))
			require.Equal(t, 3, report.count(effect.Refused))
			require.Equal(t, "payctl:reference-reused", report.results[0].ProblemType)
			require.Contains(t, report.results[0].Detail, "there 1.00, here 2.00")
			require.Equal(t, []string{report.results[0].ID}, f.ids("r-0"))
		}
		require.Len(t, f.made, 3)
	}
}

// A batch that ends early, for whatever reason, finishes what is under way and reports every row: what was paid is counted.
// A panic at one row does not end the program with the exit code of a usage error. The next run pays the rest.
func TestABatchThatEndsEarly(t *testing.T) {
	t.Parallel()
	why := errors.New("the reason")
	for _, reason := range []string{"interrupt", "journal", "panic"} {
		eachKind(t, func(t *testing.T, f *fake) {
			ctx, cancel := context.WithCancelCause(t.Context())
			m, source := f.machine(t), file(t, 60, "1")
			report := &lines{each: func(r *Row) {
				if reason == "interrupt" && cell(r, "reference") == "r-20" {
					cancel(why)
				}
			}}
			f.leaving = func(reference string) {
				if reason == "panic" && reference == "r-20" {
					panic(why)
				}
			}
			if reason == "journal" {
				m.wrap = func(j outbox.Journal) outbox.Journal { return &fullJournal{Journal: j, err: why, room: 4} }
			}
			require.ErrorContains(t, m.runUntil(ctx, source, report), why.Error())
			require.Len(t, report.results, 60)
			require.Equal(t, len(f.made), report.count(Created), "whatever was sent is reported")
			require.Positive(t, report.count(Created))
			require.Positive(t, report.count(effect.NotSent)+report.count(NotChecked))
			require.Equal(t, reason == "panic", report.results[20].Outcome == effect.Unknown)
			for _, r := range report.results {
				require.True(t, r.Outcome != effect.NotSent || len(f.ids(cell(r, "reference"))) == 0)
			}
			m.wrap, f.leaving, report = nil, func(string) {}, &lines{}
			f.advance(outbox.ResendAfter)
			require.NoError(t, m.run(source, report))
			left := 0 // a row of which it is not known how far it came
			if reason == "panic" && f.ignoresKeys && !f.unique {
				left = 1
			}
			require.Equal(t, left, report.count(effect.Unknown))
			require.Equal(t, 60-left, report.count(Created))
			require.Len(t, f.made, 60-left)
		})
	}
}

// Whatever becomes of attempts, running the same file until it is through leaves every row with one transfer, and every
// run reports each row once, in its order. What is not sent is not at the service.
func TestRepeatedRunsPayEveryRowOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 25).Draw(rt, "rows")
		source := file(t, n, "1")
		troubles := rapid.SliceOfN(rapid.SampledFrom(
			[]string{"", "", "", "lost", "late", "unsent", "limited", "refused"}), 1, 40).Draw(rt, "troubles")
		next := 0
		f := newFake(func(string, int) (error, error) {
			trouble := ""
			if next < len(troubles) {
				trouble = troubles[next]
				next++
			}
			switch trouble {
			case "lost":
				return nil, refusal(payments.ProblemOutcomeUnknown, 0)
			case "late":
				return refusal(payments.ProblemOutcomeUnknown, 0), nil
			case "unsent":
				return refusal(payments.ProblemUnreachable, 0), nil
			case "limited":
				return refusal(payments.ProblemRateLimited, 429), nil
			case "refused":
				return refusal(payments.ProblemConflict, 409), nil
			}
			return nil, nil
		})
		f.ignoresKeys, f.unique = rapid.Bool().Draw(rt, "ignores keys"), rapid.Bool().Draw(rt, "unique")
		f.ignoresFilters = rapid.Bool().Draw(rt, "ignores filters")
		m := f.machine(t)
		for {
			report := &lines{}
			_ = m.run(source, report)
			require.Len(rt, report.results, n)
			for i, r := range report.results {
				require.Equal(rt, fmt.Sprintf("r-%d", i), cell(r, "reference"))
				switch r.Outcome {
				case Created:
					require.Equal(rt, []string{r.ID}, f.ids(cell(r, "reference")))
				case effect.NotSent, effect.Refused:
					require.Empty(rt, f.ids(cell(r, "reference")))
				}
			}
			if report.count(Created) == n {
				break
			}
			f.advance(outbox.ResendAfter)
			m.resendUnknown(rt)
		}
		require.Len(rt, f.made, n)
	})
}

// resendUnknown is a person who sends again what the service does not show.
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
			_, _ = o.Resend(context.Background(), r) // which may fail as any attempt
		}
	}
}

func TestTheRateIsHeldTo(t *testing.T) {
	t.Parallel()
	took := func(atOnce int) float64 {
		f := newFake(nil)
		change := func(s *Sender) { s.Rate, s.Concurrency = 10, atOnce }
		require.NoError(t, f.machine(t).run(file(t, 51, "1"), &lines{}, change))
		return f.took().Seconds()
	}
	require.InDelta(t, 5, took(1), 0.5, "fifty gaps of a tenth of a second")
	// The clock adds up what several rows sleep at the same time.
	require.GreaterOrEqual(t, took(4), 4.9, "all rows share the rate")
}

// A service that refuses everything for its rate is not asked for ever. What it answers in between begins the time anew.
func TestAServiceThatIsAskedTooOftenForever(t *testing.T) {
	t.Parallel()
	limited := refusal(payments.ProblemRateLimited, 429)
	limited.RetryAfter = 10 * time.Second
	refused := 0
	f := newFake(func(reference string, _ int) (error, error) {
		if refused++; refused > 1000 {
			return errors.New("it was asked for ever"), nil
		}
		if reference == "r-3" && refused%60 != 0 || reference == "r-5" { // 10 minutes
			return limited, nil
		}
		return nil, nil
	})
	f.unique = true // each attempt is one request
	one := func(s *Sender) { s.Concurrency = 1 }
	report := &lines{}
	require.ErrorIs(t, f.machine(t).run(file(t, 30, "1"), report, one), limited)
	require.Equal(t, 5, report.count(Created))
	require.Equal(t, 25, report.count(effect.NotSent))
	require.Greater(t, f.took(), 24*time.Minute)
	require.Less(t, f.took(), 30*time.Minute)
}
