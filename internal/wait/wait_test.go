package wait_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

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
