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
	// recordQueueSize is how many records may wait to be read: as many as --all has subjects without --max, in 1.6 MB. More than
	// that come with their next change.
	recordQueueSize = defaultMax
)

// records has what is known of the subjects of a live view besides their statuses. What the event feed does not have is
// read in the background, one subject after the other.
type records struct {
	read  func(ctx context.Context, id string, known follow.Record) follow.Record // nil: it cannot be read
	lacks func(status string, known follow.Record) bool
	set   func(id string, record follow.Record) // shows a record that was read

	queue  chan string
	mu     sync.Mutex
	known  map[string]follow.Record
	queued map[string]bool // those that wait in the queue
}

// newRecords returns the records of a kind of subjects.
func newRecords(kind Kind, set func(id string, record follow.Record)) *records {
	lacks := kind.Lacks
	if lacks == nil {
		lacks = func(_ string, known follow.Record) bool { return known == nil }
	}
	return &records{
		read: kind.Record, lacks: lacks, set: set, queue: make(chan string, recordQueueSize),
		known: map[string]follow.Record{}, queued: map[string]bool{},
	}
}

// add takes in a change, and passes on what is known of its subject now; the record may be nil. What is
// missing will be read.
func (r *records) add(c follow.Change, show func(follow.Record)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := follow.Newest(c.Record, r.known[c.ID])
	if known != nil {
		r.known[c.ID] = known
	}
	show(known) // in the order in which records become known
	if r.read == nil || r.queued[c.ID] || !r.lacks(c.Status, known) {
		return
	}
	select {
	case r.queue <- c.ID:
		r.queued[c.ID] = true
	default:
	}
}

// remove forgets a subject.
func (r *records) remove(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.known, id)
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
	r.mu.Lock()
	known := r.known[id]
	delete(r.queued, id) // a change from now on may need another read
	r.mu.Unlock()
	for range mostRecordReads {
		if record := r.read(ctx, id, known); record != nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			record = follow.Newest(record, r.known[id])
			r.known[id] = record
			r.set(id, record)
			return
		}
		if wait.Sleep(ctx, retryRecordAfter) != nil {
			return
		}
	}
}
