package sqlite

import (
	"cmp"

	"github.com/tidwall/btree"

	"github.com/payctl/payctl/internal/store"
)

// A jobKey is the place of a job in its world's queue.
type jobKey struct {
	due    string // its moment
	number int64  // among the world's jobs, in the order in which they were added
}

func (k jobKey) compare(other jobKey) int {
	return cmp.Or(cmp.Compare(k.due, other.due), cmp.Compare(k.number, other.number))
}

// numbered is a job with its place.
type numbered struct {
	store.Job
	due    string
	number int64
}

func (n numbered) key() jobKey { return jobKey{n.due, n.number} }

// A queue is the beginning of a world's jobs as the writer sees them, over the tables: all up to a place, and behind it
// those that are not in the table yet.
type queue struct {
	jobs    *btree.BTreeG[numbered]
	through jobKey
	all     bool // there are no more in the table
}

// ahead is how many jobs the writer reads at once, and keep how many it remembers.
const (
	ahead = 64
	keep  = 1024
)

func newQueue() *queue {
	before := func(a, b numbered) bool { return a.key().compare(b.key()) < 0 }
	return &queue{jobs: btree.NewBTreeGOptions(before, btree.Options{NoLocks: true})} // whoever has the writer's turn uses it
}

// covers says that the queue knows all jobs up to a place.
func (q *queue) covers(k jobKey) bool { return q.all || k.compare(q.through) <= 0 }

// first is the earliest job. When known is false the table has to be asked for more.
func (q *queue) first() (job numbered, ok, known bool) {
	job, ok = q.jobs.Min()
	if !ok {
		return job, false, q.all
	}
	return job, true, q.covers(job.key())
}

// read adds what the table has behind the place up to which the queue is known.
func (q *queue) read(jobs []numbered, limit int) {
	for _, job := range jobs {
		q.jobs.Set(job)
	}
	if q.all = len(jobs) < limit; !q.all {
		q.through = jobs[len(jobs)-1].key()
	}
}

// flushed says that the table has all jobs that the queue has: those far ahead may be forgotten.
func (q *queue) flushed() {
	if q.all && q.jobs.Len() > keep {
		for q.jobs.Len() > ahead {
			q.jobs.PopMax()
		}
		last, _ := q.jobs.Max()
		q.all, q.through = false, last.key()
	}
	for {
		last, ok := q.jobs.Max()
		if !ok || q.covers(last.key()) {
			return
		}
		q.jobs.PopMax()
	}
}

// undo takes back what a refused update did to the queue.
func (q *queue) undo(jobs map[jobKey]queued) {
	for _, job := range jobs {
		if job.finished {
			q.jobs.Set(job.numbered)
		} else {
			q.jobs.Delete(job.numbered)
		}
	}
}
