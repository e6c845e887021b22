package desk

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// However many wait, and however long nobody could go, turns are as far apart as the rate says.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pace := (&Rate{50}).pace()
		start := time.Now()
		var mu sync.Mutex
		var turns []time.Duration
		all := func() {
			var callers sync.WaitGroup
			for range 16 {
				callers.Go(func() {
					for range 10 {
						require.NoError(t, pace(t.Context()))
						mu.Lock()
						turns = append(turns, time.Since(start))
						mu.Unlock()
					}
				})
			}
			callers.Wait()
		}
		all()
		<-time.After(time.Hour)
		all()
		require.Len(t, turns, 320)
		for i := range turns[1:] {
			require.GreaterOrEqual(t, turns[i+1]-turns[i], 20*time.Millisecond-catchUp)
		}
		require.LessOrEqual(t, turns[159], 3200*time.Millisecond, "the rate is reached")

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, pace(ctx), context.Canceled)
		require.NoError(t, pace(t.Context()), "who goes away leaves the turn to the next")
	})
}
