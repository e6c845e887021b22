package watchui

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// However many callers wait, and also after an idle time, turns are as far apart as the rate demands.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pace := (&Rate{50}).newPace().wait
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
			require.GreaterOrEqual(t, turns[i+1]-turns[i], 20*time.Millisecond)
		}
		require.LessOrEqual(t, turns[159], 3200*time.Millisecond, "the rate is reached")

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, pace(ctx), context.Canceled)
		require.NoError(t, pace(t.Context()), "a caller that gives up leaves its turn to the next")
	})
}

// A service that announces its rate limit refuses no request, and answers nearly as many as it allows: of a limit
// for which --rate is too high, one that is higher, and one of few requests.
func TestPaceKeepsToTheLimitOfTheService(t *testing.T) {
	t.Parallel()
	for _, limit := range []struct {
		most    int
		window  time.Duration
		answers int // in two minutes
	}{
		{600, time.Minute, 600 + 2*540 - 20}, {100, time.Second, 5990}, {10, 10 * time.Second, 10 + 100},
	} {
		synctest.Test(t, func(t *testing.T) {
			pace := (&Rate{50}).newPace()
			interval := limit.window / time.Duration(limit.most)
			full := time.Now() // when the bucket of the service is full again
			answers := 0
			for start := time.Now(); time.Since(start) < 2*time.Minute; answers++ {
				require.NoError(t, pace.wait(t.Context()))
				full = time.Now().Add(max(time.Until(full), 0) + interval)
				left := int((limit.window - time.Until(full)) / interval)
				require.GreaterOrEqual(t, left, 0, "request %d is refused", answers)
				pace.limited(limit.most, limit.window, left)
			}
			require.GreaterOrEqual(t, answers, limit.answers)
		})
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	for text, perSecond := range map[string]float64{"50": 50, "50/s": 50, "600/m": 10, "3600/h": 1, "0.5": 0.5} {
		var r Rate
		require.NoError(t, r.Set(text))
		require.InDelta(t, perSecond, r.perSecond, 1e-9)
	}
	for _, text := range []string{"", "0", "-1", "x", "5/d", "NaN", "Inf", "1e9", "/s"} {
		var r Rate
		require.Error(t, r.Set(text), text)
	}
	require.Equal(t, "50/s", (&Rate{50}).String())
}
