package sql

import (
	"cmp"
	"time"

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

func (j queuedJob) compare(other queuedJob) int { return j.key().compare(other.key()) }

// A jobWindow is what the process remembers of a world's jobs, so that it need not ask the table for the next one: all
// jobs up to a place, and of those after it the ones that are still buffered.
type jobWindow struct {
	jobs    *btree.BTreeG[queuedJob]
	through jobKey
	all     bool // the table has no jobs after that place
}

// A transaction reads jobsAtOnce jobs, more than a group usually runs, and the cache of a world has at most maxJobs.
const (
	jobsAtOnce = 256
	maxJobs    = 2048
)

func newJobWindow() jobWindow {
	before := func(a, b queuedJob) bool { return a.compare(b) < 0 }
	return jobWindow{jobs: btree.NewBTreeGOptions(before, btree.Options{NoLocks: true})}
}

// knowsFirst reports whether the first job of the window is the earliest of all.
func (w *jobWindow) knowsFirst() bool {
	job, ok := w.jobs.Min()
	return w.all || ok && job.key().compare(w.through) <= 0
}

// isShort reports whether a group may need jobs that the window does not have.
func (w *jobWindow) isShort() bool { return !w.all && w.jobs.Len() < jobsAtOnce/2 }

// due returns jobs of the window that are due at a time.
func (w *jobWindow) due(now time.Time, most int) (jobs []queuedJob) {
	w.jobs.Scan(func(job queuedJob) bool {
		if job.At.After(now) || len(jobs) == most {
			return false
		}
		jobs = append(jobs, job)
		return true
	})
	return jobs
}

// forgetLater bounds the window once all jobs are in the table.
func (w *jobWindow) forgetLater() {
	if w.all && w.jobs.Len() > maxJobs {
		last, _ := w.jobs.GetAt(maxJobs / 2)
		w.all, w.through = false, last.key()
	}
	for last, ok := w.jobs.Max(); ok && !w.all && last.key().compare(w.through) > 0; last, ok = w.jobs.Max() {
		w.jobs.Delete(last)
	}
}

// extend adds the jobs that nextJobs has selected, by a time. If the last of them is not the one that nextJobs adds, the
// table has no others.
func (w *jobWindow) extend(jobs []queuedJob, by string) {
	w.all = len(jobs) <= jobsAtOnce
	for _, job := range jobs {
		w.jobs.Set(job)
		w.all = w.all && job.due <= by
	}
	if !w.all {
		w.through = jobs[len(jobs)-1].key()
	}
}

// copy returns a window that changes apart from this one.
func (w *jobWindow) copy() jobWindow { return jobWindow{w.jobs.Copy(), w.through, w.all} }

// undo takes back what an update did to the window.
func (w *jobWindow) undo(b *writeBuffer) {
	for _, job := range b.finished {
		w.jobs.Set(job)
	}
	for _, job := range b.added {
		w.jobs.Delete(job)
	}
}
