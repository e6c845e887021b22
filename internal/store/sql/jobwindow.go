package sql

import (
	"cmp"

	"github.com/tidwall/btree"

	"github.com/payctl/payctl/internal/store"
)

// A jobKey is the place of a job among those of its world.
type jobKey struct {
	due    string // when it runs, see timeText
	number int64  // in the order in which jobs were added
}

func (k jobKey) compare(other jobKey) int {
	return cmp.Or(cmp.Compare(k.due, other.due), cmp.Compare(k.number, other.number))
}

// A queuedJob is a job with its place.
type queuedJob struct {
	store.Job
	due    string
	number int64
}

func (j queuedJob) key() jobKey { return jobKey{j.due, j.number} }

// A jobWindow is what the process remembers of a world's jobs, so that it need not ask the table for the next one: all
// jobs up to a place, and of those after it the ones that are still buffered.
type jobWindow struct {
	jobs    *btree.BTreeG[queuedJob]
	through jobKey
	all     bool // the table has no jobs after that place
}

// A transaction reads jobsAtOnce jobs, and the cache of a world has at most maxJobs.
const (
	jobsAtOnce = 64
	maxJobs    = 1024
)

func newJobWindow() jobWindow {
	before := func(a, b queuedJob) bool { return a.key().compare(b.key()) < 0 }
	return jobWindow{jobs: btree.NewBTreeGOptions(before, btree.Options{NoLocks: true})}
}

// knowsFirst reports whether the first job of the window is the earliest of all.
func (w *jobWindow) knowsFirst() bool {
	job, ok := w.jobs.Min()
	return w.all || ok && job.key().compare(w.through) <= 0
}

// extend adds the next jobs of the table, jobsAtOnce or all that are left.
func (w *jobWindow) extend(jobs []queuedJob) {
	for _, job := range jobs {
		w.jobs.Set(job)
	}
	if w.all = len(jobs) < jobsAtOnce; !w.all {
		w.through = jobs[len(jobs)-1].key()
	}
}

// copy returns a window that changes apart from this one.
func (w *jobWindow) copy() jobWindow { return jobWindow{w.jobs.Copy(), w.through, w.all} }

// undo takes back what an update did to the window.
func (w *jobWindow) undo(writes map[jobKey]jobWrite) {
	for _, job := range writes {
		if job.finished {
			w.jobs.Set(job.queuedJob)
		} else {
			w.jobs.Delete(job.queuedJob)
		}
	}
}
