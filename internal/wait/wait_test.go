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

func TestPanicsArePassedOn(t *testing.T) {
	t.Parallel()
	failure := errors.New("failure")
	require.Equal(t, failure, wait.CatchPanic(func() error { return failure }))
	wait.PassOnPanic(failure)
	err := wait.CatchPanic(func() error { panic("boom") })
	require.ErrorContains(t, err, "boom\n")
	require.Panics(t, func() { wait.PassOnPanic(err) })
}
