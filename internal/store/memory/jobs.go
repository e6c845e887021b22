package memory

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/store"
)

// A queuedJob is when a job is due, in UTC, and its number in the order in which jobs were scheduled.
type queuedJob struct {
	seconds     int64 // since 1970: nanoseconds would end in the year 2262
	number      uint64
	nanoseconds int32
	slot        uint32 // of the rest
}

func (j queuedJob) at() time.Time { return time.Unix(j.seconds, int64(j.nanoseconds)).UTC() }

// compare compares the order in which jobs run.
func (j queuedJob) compare(other queuedJob) int {
	return cmp.Or(cmp.Compare(j.seconds, other.seconds), cmp.Compare(j.nanoseconds, other.nanoseconds),
		cmp.Compare(j.number, other.number))
}

// A jobQueue holds jobs in the order in which they run.
type jobQueue struct {
	blocks[queuedJob]
	*slots                     // the encoded rest of each job
	kinds      []store.JobKind // that jobs have had
	room       []byte          // for an encoded job
	changes    []jobChange     // of the present Update
	next       store.Job       // the one with nextNumber: each request looks at the first job
	nextNumber uint64
}

// A jobChange is a job that was scheduled or finished.
type jobChange struct {
	queuedJob
	finished bool
}

func newJobQueue() *jobQueue { return &jobQueue{slots: newSlots()} }

func (q *jobQueue) schedule(job store.Job, number uint64) {
	kind := slices.Index(q.kinds, job.Kind)
	if kind < 0 {
		kind = len(q.kinds)
		q.kinds = append(q.kinds, job.Kind)
	}
	encoded := binary.AppendVarint(binary.AppendUvarint(q.room[:0], uint64(kind)), int64(job.Revision))
	encoded = append(encoded, job.Subject...)
	added := queuedJob{job.At.Unix(), number, int32(job.At.Nanosecond()), q.take()}
	q.put(added.slot, encoded)
	q.room = reusable(encoded)
	q.changes = append(q.changes, jobChange{added, false})
	q.add(added)
}

func (q *jobQueue) add(job queuedJob) { q.insert(q.place(job), job) }

func (q *jobQueue) place(job queuedJob) place {
	return q.find(func(other queuedJob) bool { return other.compare(job) >= 0 })
}

func (q *jobQueue) read(job queuedJob) store.Job {
	encoded := q.slots.get(job.slot)
	kind, n := binary.Uvarint(encoded)
	revision, m := binary.Varint(encoded[n:])
	return store.Job{At: job.at(), Kind: q.kinds[kind], Revision: int(revision), Subject: string(encoded[n+m:])}
}

// first returns the first job. Only what changes the queue may remember what is decoded.
func (q *jobQueue) first(remember bool) (store.Job, error) {
	first, ok := q.blocks.get(place{})
	if !ok {
		return store.Job{}, store.ErrNotFound
	}
	if first.number == q.nextNumber {
		return q.next, nil
	}
	job := q.read(first)
	if remember {
		q.next, q.nextNumber = job, first.number
	}
	return job, nil
}

// finish removes the first job.
func (q *jobQueue) finish() error {
	first, ok := q.blocks.get(place{})
	if !ok {
		return store.ErrNotFound
	}
	q.changes = append(q.changes, jobChange{first, true})
	q.remove(place{})
	return nil
}

func (q *jobQueue) all() []store.Job {
	jobs := []store.Job{}
	q.ascend(func(job queuedJob) (more bool) {
		jobs = append(jobs, q.read(job))
		return true
	})
	return jobs
}

// commit implements undoable.
func (q *jobQueue) commit() {
	for _, change := range q.changes {
		if change.finished {
			q.release(change.slot)
		}
	}
	q.changes = reusable(q.changes)
	_, _ = q.first(true)
}

// rollBack implements undoable.
func (q *jobQueue) rollBack() {
	for _, change := range slices.Backward(q.changes) {
		if change.finished {
			q.add(change.queuedJob)
		} else {
			q.remove(q.place(change.queuedJob))
			q.release(change.slot)
		}
	}
	q.changes = reusable(q.changes)
}

// Schedule implements store.Tx.
func (w *world) Schedule(job store.Job) error {
	if !w.writing {
		return errReadOnly
	}
	w.lastJob++
	w.jobs.schedule(job, w.lastJob)
	return nil
}

// NextJob implements store.Tx.
func (w *world) NextJob() (store.Job, error) { return w.jobs.first(w.writing) }

// FinishJob implements store.Tx.
func (w *world) FinishJob() error {
	if _, ok := w.jobs.blocks.get(place{}); ok && !w.writing {
		return errReadOnly
	}
	return w.jobs.finish()
}

// Jobs implements store.Tx.
func (w *world) Jobs() ([]store.Job, error) { return w.jobs.all(), nil }
