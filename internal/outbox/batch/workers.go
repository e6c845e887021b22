package batch

import (
	"context"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

const (
	// pausedPerRequest bounds the rows that pause between two attempts, as a multiple of the requests in flight. With
	// the default concurrency of 8, as many rows are then under way as with the largest.
	pausedPerRequest = 8
	// longestResume bounds how long a row waits for room after its pause. It has a deadline to find out its outcome, which
	// slow requests of other rows must not use up.
	longestResume = 2 * time.Second
)

// Workers send rows, as many at once as they are. If a row pauses between two attempts, another worker takes the place
// of its own, which ends with the row.
type workers struct {
	group *sync.WaitGroup
	jobs  <-chan *job
	send  func(*job)
}

func (w *workers) start(number int) {
	for range number {
		w.group.Go(w.work)
	}
}

func (w *workers) work() {
	for j := range w.jobs {
		w.send(j)
		close(j.ended)
		if j.replaced {
			return
		}
	}
}

// withPause returns a context for the attempt of a row, in which its call does not count as a request in flight while it
// pauses. Sent is the ticket of the call, which a pause replaces by another one.
func (s *Sender) withPause(ctx context.Context, j *job, sent *ticket) context.Context {
	return payments.WithPause(ctx, func(ctx context.Context, pause time.Duration) error {
		if !s.limiter.leave() {
			return s.Sleep(ctx, pause)
		}
		if !j.replaced {
			j.replaced = true
			s.workers.start(1)
		}
		err := s.Sleep(ctx, pause)
		*sent = s.limiter.rejoin(ctx)
		return err
	})
}
