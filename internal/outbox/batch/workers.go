package batch

import (
	"context"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/outbox/pace"
	"github.com/payctl/payctl/internal/payments"
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
func (s *Sender) withPause(ctx context.Context, j *job, sent *pace.Ticket) context.Context {
	return payments.WithPause(ctx, func(ctx context.Context, pause time.Duration) error {
		if !s.pacer.Leave() {
			return s.Sleep(ctx, pause)
		}
		if !j.replaced {
			j.replaced = true
			s.workers.start(1)
		}
		err := s.Sleep(ctx, pause)
		*sent = s.pacer.Rejoin(ctx)
		return err
	})
}
