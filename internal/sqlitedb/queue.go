package sqlitedb

import "sync"

// A queue holds the jobs that wait for a transaction. Jobs of one group leave it in the order in which they came. The
// groups take turns, so that a group with many jobs delays each other group by one job at a time.
type queue struct {
	mu     sync.Mutex
	jobs   map[string][]*job // by group; only groups that have a job
	turns  []string          // those groups, the one whose turn it is first
	length int
	closed bool
	added  chan struct{} // receives when a job was added or the queue was closed
}

func newQueue() *queue { return &queue{jobs: map[string][]*job{}, added: make(chan struct{}, 1)} }

// add adds a job. It reports false if the queue is closed.
func (q *queue) add(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	if q.jobs[j.group] = append(q.jobs[j.group], j); len(q.jobs[j.group]) == 1 {
		q.turns = append(q.turns, j.group)
	}
	q.length++
	q.signal()
	return true
}

// take removes the job whose turn it is; nil: there is none.
func (q *queue) take() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.length == 0 {
		return nil
	}
	group := q.turns[0]
	q.turns = q.turns[1:]
	jobs := q.jobs[group]
	if len(jobs) == 1 {
		delete(q.jobs, group)
	} else {
		q.jobs[group], q.turns = jobs[1:], append(q.turns, group)
	}
	q.length--
	if jobs[0].slots != nil {
		<-jobs[0].slots
	}
	return jobs[0]
}

// wait is take that waits for a job. It returns nil when the queue is closed and empty.
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
	return q.closed && q.length == 0
}

// close refuses further jobs. It reports false if the queue was closed before.
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

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.length
}
