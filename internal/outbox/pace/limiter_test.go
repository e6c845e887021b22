package pace

import (
	"context"
	"errors"
	"fmt"
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
	l := NewLimiter(8, 0, f.read, f.sleep)
	var pauses []time.Time
	l.Paused = func(until time.Time) { pauses = append(pauses, until) }
	acquire := func() Ticket {
		sent, err := l.Acquire(t.Context())
		require.NoError(t, err)
		return sent
	}
	var sent []Ticket
	for range 8 {
		sent = append(sent, acquire())
	}
	l.RateLimited(time.Second)
	l.RateLimited(2 * time.Second)
	require.InDelta(t, 4, l.limit, 0)
	require.Equal(t, []time.Time{time.Unix(1, 0), time.Unix(2, 0)}, pauses)
	for _, one := range sent {
		l.Release(one, false)
	}
	one := acquire()
	require.Equal(t, 2*time.Second, f.now.Sub(time.Unix(0, 0)), "the longest pause counts")
	l.Release(one, true)
	require.InDelta(t, 4.25, l.limit, 0)
	for range 100 {
		l.Release(acquire(), true)
	}
	require.InDelta(t, 8, l.limit, 0)
}

// A Retry-After of zero means at once. Only when it repeats is there a pause, and only then is the limit halved.
func TestRetryAtOnce(t *testing.T) {
	t.Parallel()
	f := &clock{now: time.Unix(0, 0)}
	l := NewLimiter(8, 0, f.read, f.sleep)
	l.UnreachableSince, l.ReachableAgain, l.Paused = func(error) {}, func() {}, func(time.Time) {}
	for range 3 {
		for range 8 {
			sent, err := l.Acquire(t.Context())
			require.NoError(t, err)
			l.RateLimited(payments.AtOnce)
			l.Release(sent, false)
		}
		require.InDelta(t, 8, l.limit, 0)
		require.Equal(t, time.Unix(0, 0), f.now)
		sent, err := l.Acquire(t.Context())
		require.NoError(t, err)
		l.Release(sent, true)
	}
	f.now = f.now.Add(time.Second)
	for range 9 {
		l.RateLimited(payments.AtOnce)
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
	l := NewLimiter(8, 0, f.read, f.sleep)
	var events []string
	l.UnreachableSince = func(error) { events = append(events, "unreachable") }
	l.ReachableAgain = func() { events = append(events, "reachable") }
	var sent []Ticket
	for range 4 {
		one, err := l.Acquire(t.Context())
		require.NoError(t, err)
		sent = append(sent, one)
	}
	down := errors.New("down")
	require.Zero(t, l.Unreachable(sent[2], down))
	l.Release(sent[2], false)
	l.Release(sent[0], true)
	l.Release(sent[3], true)
	require.Equal(t, []string{"unreachable"}, events)
	f.now = f.now.Add(time.Minute)
	require.Equal(t, time.Minute, l.Unreachable(sent[1], down))

	f.now = f.now.Add(time.Minute)
	later, err := l.Acquire(t.Context())
	require.NoError(t, err)
	l.Release(later, true)
	require.Zero(t, l.Unreachable(sent[1], down))
	l.Release(sent[1], false)
	require.Equal(t, []string{"unreachable", "reachable"}, events)
}

// An attempt whose time was over before anything was sent is made again, but not for ever, and the others go on.
func TestAnAttemptThatRanOutOfTimeIsRepeated(t *testing.T) {
	t.Parallel()
	late := payments.Outcome{Verdict: payments.NotSent, Err: fmt.Errorf("it slept: %w", context.DeadlineExceeded)}
	for failures, want := range map[int]payments.Verdict{
		0: payments.Done, 1: payments.Done, maxExpired - 1: payments.Done, maxExpired: payments.NotSent,
	} {
		f := &clock{now: time.Unix(0, 0)}
		s := &Sender{
			Limiter: NewLimiter(1, 0, f.read, f.sleep), Timeout: time.Hour,
			Stop: func(err error) { t.Errorf("the other writes were stopped: %v", err) },
		}
		attempts := 0
		outcome := s.Send(t.Context(), t.Context(), func(context.Context, *Ticket) payments.Outcome {
			if attempts++; attempts <= failures {
				return late
			}
			return payments.Outcome{Verdict: payments.Done}
		})
		require.Equal(t, want, outcome.Verdict)
		require.Equal(t, min(failures+1, maxExpired), attempts)
	}

	// When the program itself ends, there is no other attempt.
	finishing, cancel := context.WithCancel(t.Context())
	f, attempts := &clock{now: time.Unix(0, 0)}, 0
	s := &Sender{Limiter: NewLimiter(1, 0, f.read, f.sleep), Timeout: time.Hour, Stop: func(error) {}}
	outcome := s.Send(t.Context(), finishing, func(context.Context, *Ticket) payments.Outcome {
		attempts++
		cancel()
		return late
	})
	require.Equal(t, payments.NotSent, outcome.Verdict)
	require.ErrorIs(t, outcome.Err, context.DeadlineExceeded)
	require.Equal(t, 1, attempts)
}
