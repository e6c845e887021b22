package batch

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// A clock goes on only by the pauses that are waited for.
type clock struct{ now time.Time }

func (c *clock) read() time.Time { return c.now }

func (c *clock) sleep(_ context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	return nil
}

// The limit halves at the first of the 429s that come together, and grows by one in about as many responses as it is.
func TestTheLimiterHalvesAndRecovers(t *testing.T) {
	t.Parallel()
	f := &clock{now: time.Unix(0, 0)}
	l := newLimiter(8, 0, f.read, f.sleep)
	acquire := func() ticket {
		sent, err := l.acquire(t.Context())
		require.NoError(t, err)
		return sent
	}
	var sent []ticket
	for range 8 {
		sent = append(sent, acquire())
	}
	l.rateLimited(time.Second)
	l.rateLimited(2 * time.Second)
	require.InDelta(t, 4, l.limit, 0)
	for _, one := range sent {
		l.release(one, false)
	}
	one := acquire()
	require.Equal(t, 2*time.Second, f.now.Sub(time.Unix(0, 0)), "the longest pause counts")
	l.release(one, true)
	require.InDelta(t, 4.25, l.limit, 0)
	for range 100 {
		l.release(acquire(), true)
	}
	require.InDelta(t, 8, l.limit, 0)
}

// A Retry-After of zero means at once. Only when it repeats is there a pause, and only then is the limit halved.
func TestRetryAtOnce(t *testing.T) {
	t.Parallel()
	f := &clock{now: time.Unix(0, 0)}
	l := newLimiter(8, 0, f.read, f.sleep)
	l.unreachableSince, l.reachableAgain = func(error) {}, func() {}
	for range 3 {
		for range 8 {
			sent, err := l.acquire(t.Context())
			require.NoError(t, err)
			l.rateLimited(payments.AtOnce)
			l.release(sent, false)
		}
		require.InDelta(t, 8, l.limit, 0)
		require.Equal(t, time.Unix(0, 0), f.now)
		sent, err := l.acquire(t.Context())
		require.NoError(t, err)
		l.release(sent, true)
	}
	f.now = f.now.Add(time.Second)
	for range 9 {
		l.rateLimited(payments.AtOnce)
	}
	require.InDelta(t, 4, l.limit, 0)
	require.Positive(t, l.until.Sub(f.now))
	require.Less(t, l.until.Sub(f.now), atOnceBackoff.First)
}

// The response to a request from before an outage says nothing about the outage, nor does a failure from before its
// end begin another one.
func TestOnlyLaterRequestsAreNewsOfAnOutage(t *testing.T) {
	t.Parallel()
	f := &clock{now: time.Unix(0, 0)}
	l := newLimiter(8, 0, f.read, f.sleep)
	var events []string
	l.unreachableSince = func(error) { events = append(events, "unreachable") }
	l.reachableAgain = func() { events = append(events, "reachable") }
	var sent []ticket
	for range 4 {
		one, err := l.acquire(t.Context())
		require.NoError(t, err)
		sent = append(sent, one)
	}
	down := errors.New("down")
	require.Zero(t, l.unreachable(sent[2], down))
	l.release(sent[2], false)
	l.release(sent[0], true)
	l.release(sent[3], true)
	require.Equal(t, []string{"unreachable"}, events)
	f.now = f.now.Add(time.Minute)
	require.Equal(t, time.Minute, l.unreachable(sent[1], down))

	f.now = f.now.Add(time.Minute)
	later, err := l.acquire(t.Context())
	require.NoError(t, err)
	l.release(later, true)
	require.Zero(t, l.unreachable(sent[1], down))
	l.release(sent[1], false)
	require.Equal(t, []string{"unreachable", "reachable"}, events)
}

func TestTheRateIsHeldTo(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	change := func(s *Sender) { s.Rate = 10 }
	require.NoError(t, f.machine(t).run(file(t, 51, "1"), &lines{}, change))
	require.InDelta(t, 5, f.took().Seconds(), 0.5, "fifty gaps of a tenth of a second")
}

func TestRateLimitsAreObeyedAndTheRowIsSentAgain(t *testing.T) {
	t.Parallel()
	limited := refusal(payments.KindRateLimited, 429)
	limited.RetryAfter = 10 * time.Second
	f := newFake(func(_ string, attempt int) (error, error) {
		if attempt == 1 {
			return limited, nil
		}
		return nil, nil
	})
	report := &lines{}
	require.NoError(t, f.machine(t).run(file(t, 40, "1"), report))
	require.Equal(t, 40, report.count(Created))
	require.GreaterOrEqual(t, f.took(), 10*time.Second)
}

// A service that refuses everything for its rate is not asked for ever, be it by a row or before the first one. What
// it answers in between begins the time anew.
func TestAServiceThatIsAskedTooOftenForever(t *testing.T) {
	t.Parallel()
	limited := refusal(payments.KindRateLimited, 429)
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
	require.Equal(t, 25, report.count(NotSent))
	require.Greater(t, f.took(), 24*time.Minute)
	require.Less(t, f.took(), 30*time.Minute)

	asked := 0
	f.listing = func(payments.TransferFilter) error {
		if asked++; asked > 1000 {
			return errors.New("it was asked for ever")
		}
		return limited
	}
	require.ErrorIs(t, f.machine(t).run(file(t, 30, "1"), &lines{}), limited)
}
