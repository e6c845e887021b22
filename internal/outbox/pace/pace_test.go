package pace

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// A run is a sender whose clock goes on only by what it waits for.
type run struct {
	*Sender
	now    time.Time
	events []string
	cause  error
}

func newRun(rate int) *run {
	r := &run{now: time.Unix(0, 0)}
	r.Sender = &Sender{
		Concurrency: 1, Rate: rate, Patience: time.Minute, Timeout: time.Hour, Stop: func(err error) { r.cause = err },
		Now:         func() time.Time { return r.now },
		Sleep:       func(_ context.Context, d time.Duration) error { r.now = r.now.Add(d); return nil },
		Unreachable: func(error) { r.events = append(r.events, "unreachable") },
		Reachable:   func() { r.events = append(r.events, "reachable") },
		Paused:      func(time.Time) { r.events = append(r.events, "paused") },
	}
	return r
}

// send sends a write whose attempts end with these errors, and then succeed, unless everything is stopped.
func (r *run) send(failures ...error) (attempts int) {
	ctx, stop := context.WithCancelCause(context.Background())
	r.Stop = func(err error) { r.cause = err; stop(err) }
	r.Send(ctx, context.Background(), func(context.Context) payments.Outcome {
		if attempts++; attempts <= len(failures) {
			return payments.Outcome{Verdict: payments.NotSent, Err: failures[attempts-1], Attempts: 1}
		}
		return payments.Outcome{Verdict: payments.Done, Attempts: 1}
	})
	return attempts
}

func limited(pause time.Duration) error {
	problem := payments.NewLocalProblem(payments.KindRateLimited, nil, "no", "no")
	problem.Status, problem.RetryAfter = 429, pause
	return problem
}

func unreachable() error { return payments.NewLocalProblem(payments.KindUnreachable, nil, "no", "no") }

func TestTheRate(t *testing.T) {
	t.Parallel()
	r := newRun(10)
	for range 51 {
		r.send()
	}
	require.Equal(t, 5*time.Second, r.now.Sub(time.Unix(0, 0)).Round(time.Millisecond))
}

func TestTroublesAreWaitedOut(t *testing.T) {
	t.Parallel()
	r := newRun(0)
	require.Equal(t, 3, r.send(limited(7*time.Second), unreachable()))
	require.GreaterOrEqual(t, r.now.Sub(time.Unix(0, 0)), 7*time.Second)
	require.Equal(t, []string{"paused", "unreachable", "reachable"}, r.events)
	require.NoError(t, r.cause)
}

// A service that answers nothing but 429, or cannot be reached, is not asked for ever. A pause that is longer than a
// person waits for is not begun.
func TestTroublesThatDoNotEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		failure error
		took    time.Duration
	}{{limited(0), 15 * time.Minute}, {limited(payments.AtOnce), 15 * time.Minute}, {limited(time.Hour), 0}, {unreachable(), time.Minute}} {
		r := newRun(0)
		failures := make([]error, 10_000)
		for i := range failures {
			failures[i] = c.failure
		}
		require.Less(t, r.send(failures...), len(failures))
		require.ErrorIs(t, r.cause, c.failure)
		require.InDelta(t, c.took.Seconds(), r.now.Sub(time.Unix(0, 0)).Seconds(), 21)
	}
}

// One write after another that ends as unknown stops all of them.
func TestHopeless(t *testing.T) {
	t.Parallel()
	r := newRun(0)
	lost := payments.NewLocalProblem(payments.KindOutcomeUnknown, nil, "no", "no")
	sent := 0
	for r.cause == nil {
		r.Send(t.Context(), t.Context(), func(context.Context) payments.Outcome {
			sent++
			return payments.Outcome{Verdict: payments.Unknown, Err: lost, Attempts: 1}
		})
	}
	require.Equal(t, 16, sent)
	require.ErrorIs(t, r.cause, lost)
}
