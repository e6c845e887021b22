package watchui

import (
	"context"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/wait"
)

const (
	// retryRecordAfter is the pause after a record could not be read: the service may be in trouble.
	retryRecordAfter = 10 * time.Second
	// mostRecordReads is how often a record is read in vain before it is given up until the subject's next change.
	mostRecordReads = 3
	// recordQueueSize is how many records may wait to be read. More than that come with their next change.
	recordQueueSize = 10_000
)

// records reads the records of subjects that came with the event feed, which has none, one after the other.
type records struct {
	read func(ctx context.Context, id string) follow.Record // nil: it cannot be read
	set  func(id string, record follow.Record)

	queue chan string
	mu    sync.Mutex
	known map[string]bool // the record is known, or waits in the queue
}

func newRecords(
	read func(ctx context.Context, id string) follow.Record, set func(id string, record follow.Record),
) *records {
	return &records{read: read, set: set, known: map[string]bool{}, queue: make(chan string, recordQueueSize)}
}

// add takes in a subject with a change. A record that is nil and not known yet will be read.
func (r *records) add(id string, record follow.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[id] {
		return
	}
	r.known[id] = true
	if record != nil {
		return
	}
	select {
	case r.queue <- id:
	default:
		delete(r.known, id)
	}
}

// run reads records until the context ends.
func (r *records) run(ctx context.Context) {
	for {
		select {
		case id := <-r.queue:
			r.readOne(ctx, id)
		case <-ctx.Done():
			return
		}
	}
}

func (r *records) readOne(ctx context.Context, id string) {
	for range mostRecordReads {
		if record := r.read(ctx, id); record != nil {
			r.set(id, record)
			return
		}
		if wait.Sleep(ctx, retryRecordAfter) != nil {
			return
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.known, id)
}
