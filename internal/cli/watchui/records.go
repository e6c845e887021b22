package watchui

import (
	"context"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/wait"
)

const (
	// retryRecordAfter is the time from a read in vain to the next one of the same record, and the longest pause of all
	// reads after several in vain: the service may be in trouble.
	retryRecordAfter = 10 * time.Second
	// firstRecordPause is the longest pause of all reads after the first one in vain: of a hundred thousand accounts, a
	// few may have been deleted meanwhile, and these must not hold up the others.
	firstRecordPause = 100 * time.Millisecond
	// mostRecordReads is how often a record is read in vain before it is given up until the subject's next change.
	mostRecordReads = 3
	// recordQueueSize is how many records may wait to be read: as many as --all has subjects without --max, in 1.6 MB.
	// More than that come with their next change.
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
	failed map[string]int  // how often those that will be read again were read in vain
}

// newRecords returns the records of a kind of subjects.
func newRecords(kind Kind, set func(id string, record follow.Record)) *records {
	lacks := kind.Lacks
	if lacks == nil {
		lacks = func(_ string, known follow.Record) bool { return known == nil }
	}
	return &records{
		read: kind.Record, lacks: lacks, set: set, queue: make(chan string, recordQueueSize),
		known: map[string]follow.Record{}, queued: map[string]bool{}, failed: map[string]int{},
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
	if r.read != nil && r.lacks(c.Status, known) {
		r.enqueue(c.ID)
	}
}

// enqueue has a record read, unless that is to be done already. The caller holds the lock.
func (r *records) enqueue(id string) {
	if r.queued[id] {
		return
	}
	select {
	case r.queue <- id:
		r.queued[id] = true
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

// run reads records until the context ends.
func (r *records) run(ctx context.Context) {
	pauses := wait.Backoff{First: firstRecordPause, Longest: retryRecordAfter}
	for inVain := 0; ; { // reads in a row
		select {
		case id := <-r.queue:
			if r.readOne(ctx, id) {
				inVain = 0
				continue
			}
			inVain++
			if wait.Sleep(ctx, pauses.Pause(inVain, 0)) != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// readOne reads a record, and reports whether it could be read. Otherwise it will be read again, if not too often.
func (r *records) readOne(ctx context.Context, id string) bool {
	r.mu.Lock()
	known := r.known[id]
	delete(r.queued, id) // a change from now on may need another read
	r.mu.Unlock()
	record := r.read(ctx, id, known)
	r.mu.Lock()
	defer r.mu.Unlock()
	if record != nil {
		delete(r.failed, id)
		record = follow.Newest(record, r.known[id])
		r.known[id] = record
		r.set(id, record)
		return true
	}
	if r.failed[id]++; r.failed[id] == mostRecordReads {
		delete(r.failed, id)
		return false
	}
	time.AfterFunc(retryRecordAfter, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.failed[id] > 0 { // neither read nor removed meanwhile
			r.enqueue(id)
		}
	})
	return false
}
