package wait_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/wait"
)

func TestFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failure := errors.New("failure")
		got, err := wait.For(t.Context(), func() (int, error) { return 7, failure })
		require.Equal(t, 7, got)
		require.ErrorIs(t, err, failure)

		why, end := errors.New("why"), make(chan struct{})
		defer close(end)
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, why)
		defer cancel()
		got, err = wait.For(ctx, func() (int, error) { <-end; return 7, nil })
		require.Zero(t, got)
		require.ErrorIs(t, err, why)
	})
}

func TestPanicsArePassedOn(t *testing.T) {
	t.Parallel()
	failure := errors.New("failure")
	require.Equal(t, failure, wait.CatchPanic(func() error { return failure }))
	wait.PassOnPanic(failure)
	err := wait.CatchPanic(func() error { panic("boom") })
	require.ErrorContains(t, err, "boom\n")
	require.Panics(t, func() { wait.PassOnPanic(err) })
}

func TestBackoffDoublesUpToTheLongestPause(t *testing.T) {
	t.Parallel()
	b := wait.Backoff{First: time.Second, Longest: 5 * time.Second, Rand: func() float64 { return 1 }}
	for failures, seconds := range []int{1, 1, 2, 4, 5, 5, 5} {
		require.Equal(t, time.Duration(seconds)*time.Second, b.Pause(failures, 0), "%d failures", failures)
	}
	require.Equal(t, 5*time.Second, b.Pause(1<<40, 0))
	require.Equal(t, 41*time.Second, b.Pause(6, 40*time.Second), "what the server asked for, and at most the first pause")
	b.Rand = func() float64 { return 0.5 }
	require.Equal(t, time.Second, b.Pause(2, 0))
	require.Equal(t, 500*time.Millisecond, b.Pause(1, -time.Second))
	require.Equal(t, time.Second+time.Nanosecond, b.Pause(2, time.Nanosecond), "under a millisecond")
	b.First = time.Minute
	require.Equal(t, 2500*time.Millisecond, b.Pause(1, 0), "Longest bounds the first pause too")
}

func TestBackoffJitters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		b := wait.Backoff{First: 200 * time.Millisecond, Longest: 5 * time.Second}
		asked := time.Duration(rapid.IntRange(0, 60).Draw(r, "asked")) * time.Second
		pause := b.Pause(rapid.IntRange(0, 100).Draw(r, "failures"), asked)
		require.GreaterOrEqual(r, pause, asked)
		if asked > 0 {
			require.Less(r, pause, asked+b.First)
		}
		require.Less(r, pause, asked+b.Longest)
	})
}
