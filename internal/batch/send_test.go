package batch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
)

func TestEveryRowIsReportedInItsOrder(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	report := &lines{}
	require.NoError(t, f.sender().Run(t.Context(), file(t, 100, "1.50"), report))
	require.Len(t, report.results, 100)
	for i, r := range report.results {
		require.Equal(t, fmt.Sprintf("r-%d", i), r.Reference)
		require.Equal(t, Created, r.Outcome)
		require.Equal(t, f.made[r.Reference].ID, r.TransferID)
		require.Equal(t, "USDC", r.Currency)
		require.True(t, r.Asked)
		require.False(t, r.Before)
	}
	require.LessOrEqual(t, f.most, 4)
}

func TestWhatIsDoneIsNotSentAgain(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	source := file(t, 30, "1")
	require.NoError(t, f.sender().Run(t.Context(), source, &lines{}))
	f.journal = map[string]payments.JournalEntry{} // lost
	report := &lines{}
	require.NoError(t, f.sender().Run(t.Context(), source, report))
	require.Equal(t, 30, report.count(Created))
	for _, r := range report.results {
		require.True(t, r.Before)
		require.False(t, r.Asked, "the journal knows it")
	}
	for reference, n := range f.attempts {
		require.Equal(t, 1, n, reference)
	}
}

func TestAnOutageEndsTheBatchAndTellsWhatWasNotSent(t *testing.T) {
	t.Parallel()
	f := newFake(func(reference string, _ int) (error, error) {
		if len(reference) > 3 { // from r-10 on
			return refusal(payments.KindUnreachable, 0), nil
		}
		return nil, nil
	})
	report := &lines{}
	err := f.sender().Run(t.Context(), file(t, 50, "1"), report)
	require.ErrorContains(t, err, "no")
	require.Len(t, report.results, 50)
	require.Equal(t, len(f.made), report.count(Created))
	require.Equal(t, 50-len(f.made), report.count(NotSent))
	require.LessOrEqual(t, len(f.made), 10)
	require.Greater(t, f.now.Sub(time.Unix(0, 0)), time.Minute, "it was tried for a while")
	require.Equal(t, []string{"looked up 0 of 0", "begun", "trouble: no"}, report.told, "what is tried again and again is told once")
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
		{refusal(payments.KindBeingSent, 0), Unknown, false},
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
		err := f.sender().Run(t.Context(), file(t, 30, "1"), report)
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
	require.Error(t, f.sender().Run(t.Context(), file(t, 200, "1"), report))
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
	require.NoError(t, f.sender().Run(t.Context(), file(t, 400, "1"), report))
	require.Equal(t, 40, report.count(Unknown))
	require.Equal(t, 360, report.count(Created))
}

// What stands before a service refuses one row as the other.
func TestOneAnswerOfAProxyAfterAnotherStopsTheBatch(t *testing.T) {
	t.Parallel()
	f := newFake(func(string, int) (error, error) { return refusal(payments.KindRefused, 404), nil })
	report := &lines{}
	require.Error(t, f.sender().Run(t.Context(), file(t, 200, "1"), report))
	require.Len(t, report.results, 200)
	require.Less(t, report.count(Refused), 30)
	require.Positive(t, report.count(NotSent))
}

func TestAReferenceOfAnotherTransferIsRefusedWithBothShown(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	require.NoError(t, f.sender().Run(t.Context(), file(t, 3, "1"), &lines{}))
	f.answer = func(string, int) (error, error) { return refusal(payments.KindKeyReuse, 422), nil }
	report := &lines{}
	require.NoError(t, f.sender().Run(t.Context(), file(t, 3, "2"), report))
	require.Equal(t, 3, report.count(Refused))
	require.Equal(t, "payctl:reference-reused", report.results[0].ProblemType)
	require.Contains(t, report.results[0].Detail, "there 1.00, here 2.00")
	require.Equal(t, f.made["r-0"].ID, report.results[0].TransferID)
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
	require.ErrorIs(t, f.sender().Run(ctx, file(t, 500, "1"), report), why)
	require.Len(t, report.results, 500)
	require.Equal(t, len(f.made), report.count(Created), "whatever was sent is reported")
	require.Equal(t, 500-len(f.made), report.count(NotSent))
	require.Positive(t, report.count(NotSent))
}

// A fault of the program at one row is no reason to leave others untold, or to end as Go does, with the exit code of a mistake on
// the command line, which says that nothing was sent.
func TestAFaultAtARowIsToldLikeAnyOther(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	s := f.sender()
	s.Create = func(ctx context.Context, p payments.PreparedTransfer) (payments.MadeTransfer, error) {
		if p.Request.Reference == "r-3" {
			panic("at the third")
		}
		return f.create(ctx, p)
	}
	report := &lines{}
	require.ErrorContains(t, s.Run(t.Context(), file(t, 500, "1"), report), "at the third")
	require.Len(t, report.results, 500)
	require.Equal(t, Unknown, report.results[3].Outcome)
	require.Equal(t, len(f.made), report.count(Created))
	require.Positive(t, report.count(NotSent))

	f = newFake(nil)
	s = f.sender()
	key := s.Key
	s.Key = func(reference string) payments.Idempotency {
		if reference == "r-20" {
			panic("before it leaves")
		}
		return key(reference)
	}
	report = &lines{}
	require.ErrorContains(t, s.Run(t.Context(), file(t, 500, "1"), report), "before it leaves")
	require.Equal(t, len(f.made), report.count(Created))
	require.Less(t, len(report.results), 21)
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
	require.ErrorIs(t, f.sender().Run(t.Context(), file(t, 500, "1"), report), full)
	require.Less(t, len(f.made), 500)
}

// Whatever becomes of attempts, running the same file until it is through leaves every row with one transfer, and every
// run reports each row once, in its order.
func TestRepeatedRunsPayEveryRowOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(rt, "rows")
		source := file(t, n, "1")
		troubles := rapid.SliceOfN(rapid.SampledFrom([]string{"", "", "", "lost", "unsent", "limited", "refused"}), 1, 60).Draw(rt, "troubles")
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
			case "unsent":
				return refusal(payments.KindUnreachable, 0), nil
			case "limited":
				return refusal(payments.KindRateLimited, 429), nil
			case "refused":
				return refusal(payments.KindConflict, 409), nil
			}
			return nil, nil
		})
		for {
			report := &lines{}
			_ = f.sender().Run(t.Context(), source, report)
			require.Len(rt, report.results, n)
			for i, r := range report.results {
				require.Equal(rt, fmt.Sprintf("r-%d", i), r.Reference)
			}
			if report.count(Created) == n {
				break
			}
		}
		require.Len(rt, f.made, n)
	})
}
