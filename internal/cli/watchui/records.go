package watchui

import (
	"context"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/wait"
)

// mostRecordReads is how often in a row a record is read in vain before it is given up until the subject's next change.
const mostRecordReads = 3

// records has what is known of the subjects of a live view besides their statuses. What the event feed does not have is
// read in the background, one subject after the other.
type records struct {
	kind Kind
	set  func(id string, record follow.Record) // shows a record that was read

	mu     sync.Mutex
	known  map[string]follow.Record
	failed map[string]int // how often those that are in the queue were read in vain
	queue  []string       // those that are to be read
	filled chan struct{}  // the queue is not empty
}

func newRecords(kind Kind, set func(id string, record follow.Record)) *records {
	return &records{
		kind: kind, set: set, known: map[string]follow.Record{}, failed: map[string]int{}, filled: make(chan struct{}, 1),
	}
}

// add takes in a change, and passes on what is known of its subject now; the record may be nil. What is missing will be
// read.
func (r *records) add(c follow.Change, show func(follow.Record)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := follow.Newest(c.Record, r.known[c.ID])
	if known != nil {
		r.known[c.ID] = known
	}
	show(known) // in the order in which records become known
	if _, queued := r.failed[c.ID]; !queued && r.kind.Record != nil && r.kind.Lacks(c.Status, known) {
		r.enqueue(c.ID, 0)
	}
}

// enqueue has a record read that was read in vain so often. The caller holds the lock.
func (r *records) enqueue(id string, failures int) {
	r.failed[id] = failures
	r.queue = append(r.queue, id)
	select {
	case r.filled <- struct{}{}:
	default:
	}
}

// remove forgets a subject.
func (r *records) remove(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.known, id)
	delete(r.failed, id)
}

// run reads records until the context ends. It pauses after reads in vain: of a hundred thousand accounts, a few may
// have been deleted meanwhile, and these must not hold up the others, but the service may also be in trouble.
func (r *records) run(ctx context.Context) {
	pauses := wait.Backoff{First: 100 * time.Millisecond, Longest: 10 * time.Second}
	for inVain := 0; ; { // reads in a row
		id, known, ok := r.next()
		switch {
		case !ok:
			select {
			case <-r.filled:
			case <-ctx.Done():
				return
			}
		case r.keep(id, r.kind.Record(ctx, id, known)):
			inVain = 0
		default:
			inVain++
			if wait.Sleep(ctx, pauses.Pause(inVain, 0)) != nil {
				return
			}
		}
	}
}

// next returns the next subject to read, with what is known of it.
func (r *records) next() (id string, known follow.Record, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.queue) > 0 {
		id, r.queue = r.queue[0], r.queue[1:]
		if _, queued := r.failed[id]; queued { // not removed meanwhile
			return id, r.known[id], true
		}
	}
	return "", nil, false
}

// keep takes over a record that was read, and reports whether it was. Otherwise it will be read again, if not too often.
func (r *records) keep(id string, record follow.Record) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	failures := r.failed[id] + 1
	delete(r.failed, id)
	if record != nil {
		r.known[id] = follow.Newest(record, r.known[id])
		r.set(id, r.known[id])
		return true
	}
	if failures < mostRecordReads {
		r.enqueue(id, failures)
	}
	return false
}
