package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
)

func TestEveryRowIsReportedInItsOrder(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	report := &lines{}
	require.NoError(t, f.machine(t).run(file(t, 100, "1.50"), report))
	require.Len(t, report.results, 100)
	for i, r := range report.results {
		require.Equal(t, fmt.Sprintf("r-%d", i), r.Reference)
		require.Equal(t, Created, r.Outcome)
		require.Equal(t, []string{r.TransferID}, f.ids(r.Reference))
		require.Equal(t, "USDC", r.Currency)
		require.True(t, r.Requested)
		require.False(t, r.Existed)
	}
	require.LessOrEqual(t, f.most, 4)
}

func TestWhatIsDoneIsNotSentAgain(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	source := file(t, 130, "1")
	require.NoError(t, f.machine(t).run(source, &lines{}))
	report := &lines{}
	require.NoError(t, f.machine(t).run(source, report), "with another journal")
	require.Equal(t, 130, report.count(Created))
	for _, r := range report.results {
		require.True(t, r.Existed)
		require.False(t, r.Requested, "the journal knows it")
	}
	for reference, n := range f.attempts {
		require.Equal(t, 1, n, reference)
	}
	require.Equal(t, []string{"listed 100", "listed 130", "begun"}, report.calls)
}

func TestAnOutageEndsTheBatchAndTellsWhatWasNotSent(t *testing.T) {
	t.Parallel()
	down := false
	f := newFake(func(reference string, _ int) (error, error) {
		if down = down || len(reference) > 3; down { // from r-10 on, for every row
			return refusal(payments.KindUnreachable, 0), nil
		}
		return nil, nil
	})
	report := &lines{}
	err := f.machine(t).run(file(t, 50, "1"), report)
	require.ErrorContains(t, err, "no")
	require.Len(t, report.results, 50)
	require.Equal(t, len(f.made), report.count(Created))
	require.Equal(t, 50-len(f.made), report.count(NotSent))
	require.LessOrEqual(t, len(f.made), 10)
	require.Greater(t, f.took(), time.Minute, "it was tried for a while")
	calls := slices.DeleteFunc(report.calls, func(call string) bool { return call == "reachable" })
	require.Equal(t, []string{"listed 0", "begun", "unreachable: no"}, calls, "an outage is reported once")
}

func TestWhatStopsABatchAndWhatDoesNot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err     error
		outcome Outcome
		stops   bool
	}{
		{refusal(payments.KindLimitExceeded, 409), Refused, false},
		{refusal(payments.KindKYCRequired, 403), Refused, false},
		{refusal(payments.KindOutcomeUnknown, 0), Unknown, false},
		{refusal(payments.KindUnauthenticated, 401), NotSent, true},
		{refusal(payments.KindInsufficientScope, 403), NotSent, true},
		{refusal(payments.KindJournal, 0), NotSent, true},
		{refusal(payments.KindMoved, 308), NotSent, true},
		{refusal(payments.KindRefused, 404), Refused, false},
		{errors.New("no credential"), NotSent, true},
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

func TestOneUnknownAfterAnotherStopsTheBatch(t *testing.T) {
	t.Parallel()
	f := newFake(func(string, int) (error, error) { return nil, refusal(payments.KindOutcomeUnknown, 0) })
	report := &lines{}
	require.Error(t, f.machine(t).run(file(t, 200, "1"), report))
	require.Len(t, report.results, 200)
	require.Less(t, report.count(Unknown), 30)
	require.Positive(t, report.count(NotSent))
}

// Rows whose outcome is unknown stop a batch only where there is no other between them.
func TestAnUnknownNowAndThenStopsNothing(t *testing.T) {
	t.Parallel()
	f := newFake(func(reference string, _ int) (error, error) {
		if strings.HasSuffix(reference, "3") {
			return nil, refusal(payments.KindOutcomeUnknown, 0)
		}
		return nil, nil
	})
	report := &lines{}
	require.NoError(t, f.machine(t).run(file(t, 400, "1"), report))
	require.Equal(t, 40, report.count(Unknown))
	require.Equal(t, 360, report.count(Created))
}

// A proxy before the service refuses every row alike.
func TestOneAnswerOfAProxyAfterAnotherStopsTheBatch(t *testing.T) {
	t.Parallel()
	f := newFake(func(string, int) (error, error) { return refusal(payments.KindRefused, 404), nil })
	report := &lines{}
	require.Error(t, f.machine(t).run(file(t, 200, "1"), report))
	require.Len(t, report.results, 200)
	require.Less(t, report.count(Refused), 30)
	require.Positive(t, report.count(NotSent))
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
			require.Equal(t, 3, report.count(Refused))
			require.Equal(t, "payctl:reference-reused", report.results[0].ProblemType)
			require.Contains(t, report.results[0].Detail, "there 1.00, here 2.00")
			require.Equal(t, []string{report.results[0].TransferID}, f.ids("r-0"))
		}
		require.Len(t, f.made, 3)
	}
}

func TestAnInterruptFinishesWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("interrupted")
	f := newFake(nil)
	report := &lines{each: func(r Result) error {
		if r.Reference == "r-20" {
			cancel(why)
		}
		return nil
	}}
	require.ErrorIs(t, f.machine(t).runUntil(ctx, file(t, 500, "1"), report), why)
	require.Len(t, report.results, 500)
	require.Equal(t, len(f.made), report.count(Created), "whatever was sent is reported")
	require.Equal(t, 500-len(f.made), report.count(NotSent))
	require.Positive(t, report.count(NotSent))
}

// A panic at one row does not keep the others from being reported, nor end the program with the exit code of a usage
// error. The next run finds out what became of the row.
func TestAPanicAtARowIsReported(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	m := f.machine(t)
	f.leaving = func(reference string) {
		if reference == "r-3" {
			panic("at the third")
		}
	}
	report := &lines{}
	require.ErrorContains(t, m.run(file(t, 500, "1"), report), "at the third")
	require.Len(t, report.results, 500)
	require.Equal(t, Unknown, report.results[3].Outcome)
	require.Equal(t, len(f.made), report.count(Created))
	require.Positive(t, report.count(NotSent))
	f.leaving = func(string) {}
	report = &lines{}
	require.NoError(t, m.run(file(t, 500, "1"), report))
	require.Equal(t, 500, report.count(Created))
	require.Len(t, f.made, 500)
}

func TestAReportThatCannotBeWrittenStopsTheBatch(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	full := errors.New("no space left")
	report := &lines{each: func(r Result) error {
		if r.Reference == "r-5" {
			return full
		}
		return nil
	}}
	require.ErrorIs(t, f.machine(t).run(file(t, 500, "1"), report), full)
	require.Less(t, len(f.made), 500)
	require.Len(t, report.results, 500)
	require.Equal(t, len(f.made), report.count(Created), "what was paid is counted")
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
				return nil, refusal(payments.KindOutcomeUnknown, 0)
			case "late":
				return refusal(payments.KindOutcomeUnknown, 0), nil
			case "unsent":
				return refusal(payments.KindUnreachable, 0), nil
			case "limited":
				return refusal(payments.KindRateLimited, 429), nil
			case "refused":
				return refusal(payments.KindConflict, 409), nil
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
				require.Equal(rt, fmt.Sprintf("r-%d", i), r.Reference)
				switch r.Outcome {
				case Created:
					require.Equal(rt, []string{r.TransferID}, f.ids(r.Reference))
				case NotSent, Refused:
					require.Empty(rt, f.ids(r.Reference))
				}
			}
			if report.count(Created) == n {
				break
			}
			f.advance(outbox.AbsentAfter)
		}
		require.Len(rt, f.made, n)
	})
}
