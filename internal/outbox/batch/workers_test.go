package batch

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox/pace"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// requests counts the requests of calls that take time in a bubble with its own clock.
type requests struct{ inFlight, most atomic.Int64 }

// take is one request.
func (r *requests) take(d time.Duration) {
	r.most.Store(max(r.most.Load(), r.inFlight.Add(1)))
	<-time.After(d)
	r.inFlight.Add(-1)
}

// work lets workers make a call for each of many rows, and returns how long that took.
func work(t *testing.T, rows, concurrency, rate int, call func(ctx context.Context, row int)) time.Duration {
	var group sync.WaitGroup
	jobs, numbers, began := make(chan *job, rows), map[*job]int{}, time.Now()
	for i := range rows {
		j := &job{ended: make(chan struct{})}
		numbers[j] = i
		jobs <- j
	}
	close(jobs)
	s := &Sender{Sleep: wait.Sleep, pacer: &pace.Sender{Limiter: pace.NewLimiter(concurrency, rate, time.Now, wait.Sleep)}}
	s.workers = &workers{group: &group, jobs: jobs, send: func(j *job) {
		sent, err := s.pacer.Acquire(t.Context())
		require.NoError(t, err)
		call(s.withPause(t.Context(), j, &sent), numbers[j])
		s.pacer.Release(sent, true)
	}}
	s.workers.start(concurrency)
	group.Wait()
	for j := range numbers {
		<-j.ended
	}
	for range concurrency { // no call has kept its place
		_, err := s.pacer.Acquire(t.Context())
		require.NoError(t, err)
	}
	return time.Since(began)
}

// pause is what a call does between two requests.
func pause(ctx context.Context, d time.Duration) { _ = payments.Pause(ctx, d, wait.Sleep) }

// Rows that pause between two attempts leave their places to others, and no more requests are in flight than allowed.
func TestARowThatPausesLeavesItsPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r requests
		took := work(t, 400, 4, 0, func(ctx context.Context, row int) {
			r.take(10 * time.Millisecond)
			if row%2 == 0 {
				pause(ctx, 200*time.Millisecond)
				r.take(10 * time.Millisecond)
			}
		})
		require.Less(t, took, 3*time.Second, "with their places it would be 11.5 seconds")
		require.EqualValues(t, 4, r.most.Load())
	})
}

// Attempts after a pause count toward the rate, although they do not wait for it.
func TestAttemptsAfterAPauseCountTowardTheRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		took := work(t, 20, 4, 10, func(ctx context.Context, _ int) { pause(ctx, 150*time.Millisecond) })
		require.InDelta(t, 4, took.Seconds(), 0.5, "forty gaps of a tenth of a second")
	})
}

// A row whose pause has ended does not wait for slow requests until its own time is over.
func TestARowGoesOnDuringSlowRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var again time.Duration
		work(t, 3, 1, 0, func(ctx context.Context, row int) {
			if row > 0 {
				<-time.After(time.Minute)
				return
			}
			began := time.Now()
			pause(ctx, time.Second)
			again = time.Since(began)
		})
		require.Equal(t, time.Second+pace.LongestResume, again)
	})
}

// So that a service which fails every time is not sent the whole file, only so many rows pause.
func TestRowsThatPauseAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r requests
		work(t, 100, 2, 0, func(ctx context.Context, _ int) {
			r.most.Store(max(r.most.Load(), r.inFlight.Add(1)))
			pause(ctx, time.Second)
			r.inFlight.Add(-1)
		})
		require.EqualValues(t, 2*pace.PausedPerRequest+2, r.most.Load(), "those that keep their place pause too")
	})
}
