package batch

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

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
	require.Greater(t, f.took(), time.Minute, "it was retried for a while")
	calls := slices.DeleteFunc(report.calls, func(call string) bool { return call == "trouble: <nil>" })
	require.Equal(t, []string{"begun", "trouble: no"}, calls, "an outage is reported once")
}

func TestAnOutageThatEndsIsWaitedFor(t *testing.T) {
	t.Parallel()
	f := newFake(func(reference string, attempt int) (error, error) {
		if reference == "r-3" && attempt < 5 {
			return refusal(payments.ProblemUnreachable, 0), nil
		}
		return nil, nil
	})
	report := &lines{}
	require.NoError(t, f.machine(t).run(file(t, 9, "1"), report, func(s *Sender) { s.Concurrency = 1 }))
	require.Equal(t, 9, report.count(Created))
	require.Equal(t, []string{"begun", "trouble: no", "trouble: <nil>"}, report.calls)
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

// A series of rows that end as unknown, or that a proxy refuses, stops the batch. An occasional one does not.
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

// fullJournal has room for a limited number of claims.
type fullJournal struct {
	outbox.Journal
	room int
	err  error
}

func (j *fullJournal) Claim(
	ctx context.Context, intents []journal.PendingWrite, mode journal.Mode,
) ([]journal.Claim, error) {
	if j.room--; j.room < 0 {
		return nil, j.err
	}
	return j.Journal.Claim(ctx, intents, mode)
}

// A batch that ends early finishes the requests in flight and reports every row. A panic at one row must not end the
// program with exit code 2, which means a usage error. The next run pays the rest.
func TestABatchThatEndsEarly(t *testing.T) {
	t.Parallel()
	why := errors.New("the reason")
	for reason, unknown := range map[string]int{"journal": 0, "panic": 1} { // how many rows end as unknown
		f := newFake(nil)
		f.ignoresKeys = true
		m, source, report := f.machine(t), file(t, 60, "1"), &lines{}
		if reason == "journal" {
			m.wrap = func(j outbox.Journal) outbox.Journal { return &fullJournal{Journal: j, err: why, room: 4} }
		}
		f.leaving = func(reference string) {
			if reason == "panic" && reference == "r-20" {
				panic(why)
			}
		}
		require.ErrorContains(t, m.run(source, report), why.Error())
		require.Len(t, report.results, 60)
		require.Equal(t, len(f.made), report.count(Created), "every sent row is reported")
		require.Positive(t, report.count(Created))
		require.Positive(t, report.count(effect.NotSent)+report.count(NotChecked))
		require.Equal(t, unknown, report.count(effect.Unknown))
		m.wrap, f.leaving = nil, func(string) {}
		f.advance(outbox.ResendAfter)
		require.Equal(t, 60-unknown, m.requireReport(t.Context(), t, source))
		require.Len(t, f.made, 60-unknown)
	}
}

func TestTheRateIsHeldTo(t *testing.T) {
	t.Parallel()
	took := func(atOnce int) float64 {
		f := newFake(nil)
		change := func(s *Sender) { s.Rate, s.Concurrency = 10, atOnce }
		require.NoError(t, f.machine(t).run(file(t, 51, "1"), &lines{}, change))
		require.LessOrEqual(t, f.most, atOnce)
		return f.took().Seconds()
	}
	require.InDelta(t, 5, took(1), 0.5, "fifty gaps of a tenth of a second")
	// The clock adds up the sleeps of concurrent rows.
	require.GreaterOrEqual(t, took(4), 4.9, "all rows share the rate")
}

// A service that answers only 429 is not asked forever. Any other answer restarts the time.
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
