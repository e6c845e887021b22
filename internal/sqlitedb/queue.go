package sqlitedb

import "sync"

// A queue holds the jobs that wait for a transaction, in order of arrival.
type queue struct {
	mu     sync.Mutex
	jobs   []*job
	closed bool
	added  chan struct{} // gets an element when a job is added or the queue is closed
}

func newQueue() *queue { return &queue{added: make(chan struct{}, 1)} }

// add returns false if the queue is closed.
func (q *queue) add(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.jobs = append(q.jobs, j)
	q.signal()
	return true
}

// take removes and returns the next job. nil means there is none.
func (q *queue) take() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 {
		return nil
	}
	next := q.jobs[0]
	q.jobs = q.jobs[1:]
	if next.slots != nil {
		<-next.slots
	}
	return next
}

// wait waits for a job and takes it. It returns nil when the queue is closed and empty.
func (q *queue) wait() *job {
	for {
		if j := q.take(); j != nil || q.isClosed() {
			return j
		}
		<-q.added
	}
}

func (q *queue) isClosed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed && len(q.jobs) == 0
}

// close makes the queue refuse further jobs. It returns false if the queue was closed before.
func (q *queue) close() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	first := !q.closed
	q.closed = true
	q.signal()
	return first
}

func (q *queue) signal() {
	select {
	case q.added <- struct{}{}:
	default:
	}
}
