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
	*slots                       // the packed rest of jobs
	live    map[uint32]store.Job // by slot, the jobs that are not packed
	kinds   []store.JobKind      // that packed jobs have had
	room    []byte               // for a packed job
	changes []jobChange          // of the present Update
}

// isPacked reports whether jobs of a kind are packed. There is one for each idempotency key and token, which waits for
// hours. The other jobs are few at a time, and soon done.
func isPacked(kind store.JobKind) bool {
	return kind == store.JobExpireKey || kind == store.JobExpireToken
}

// A jobChange is a job that was scheduled or finished.
type jobChange struct {
	queuedJob
	finished bool
}

func newJobQueue() *jobQueue { return &jobQueue{slots: newSlots(), live: map[uint32]store.Job{}} }

func (q *jobQueue) schedule(job store.Job, number uint64) {
	added := queuedJob{job.At.Unix(), number, int32(job.At.Nanosecond()), q.take()}
	if isPacked(job.Kind) {
		q.pack(added.slot, job)
	} else {
		q.live[added.slot] = job
	}
	q.changes = append(q.changes, jobChange{added, false})
	q.add(added)
}

// pack stores a job without its time.
func (q *jobQueue) pack(slot uint32, job store.Job) {
	kind := slices.Index(q.kinds, job.Kind)
	if kind < 0 {
		kind = len(q.kinds)
		q.kinds = append(q.kinds, job.Kind)
	}
	packed := binary.AppendVarint(binary.AppendUvarint(q.room[:0], uint64(kind)), int64(job.Revision))
	packed = append(packed, job.Subject...)
	q.put(slot, packed)
	q.room = reusable(packed)
}

// free drops a job that is no longer in the queue.
func (q *jobQueue) free(slot uint32) {
	delete(q.live, slot)
	q.release(slot)
}

func (q *jobQueue) add(job queuedJob) { q.insert(q.place(job), job) }

func (q *jobQueue) place(job queuedJob) place {
	return q.find(func(other queuedJob) bool { return other.compare(job) >= 0 })
}

func (q *jobQueue) read(queued queuedJob) store.Job {
	if job, ok := q.live[queued.slot]; ok {
		return job
	}
	packed := q.slots.get(queued.slot)
	kind, n := binary.Uvarint(packed)
	revision, m := binary.Varint(packed[n:])
	return store.Job{At: queued.at(), Kind: q.kinds[kind], Revision: int(revision), Subject: string(packed[n+m:])}
}

func (q *jobQueue) first() (store.Job, error) {
	first, ok := q.blocks.get(place{})
	if !ok {
		return store.Job{}, store.ErrNotFound
	}
	return q.read(first), nil
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
			q.free(change.slot)
		}
	}
	q.changes = reusable(q.changes)
}

// rollBack implements undoable.
func (q *jobQueue) rollBack() {
	for _, change := range slices.Backward(q.changes) {
		if change.finished {
			q.add(change.queuedJob)
		} else {
			q.remove(q.place(change.queuedJob))
			q.free(change.slot)
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
func (w *world) NextJob() (store.Job, error) { return w.jobs.first() }

// FinishJob implements store.Tx.
func (w *world) FinishJob() error {
	if _, ok := w.jobs.blocks.get(place{}); ok && !w.writing {
		return errReadOnly
	}
	return w.jobs.finish()
}

// Jobs implements store.Tx.
func (w *world) Jobs() ([]store.Job, error) { return w.jobs.all(), nil }
