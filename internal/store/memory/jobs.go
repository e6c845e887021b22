package memory

import "github.com/payctl/payctl/internal/store"

// A numberedJob is a job with its number in the order in which jobs were scheduled.
type numberedJob struct {
	store.Job
	number uint64
}

// before reports whether a job runs before another.
func (j numberedJob) before(other numberedJob) bool {
	if c := j.At.Compare(other.At); c != 0 {
		return c < 0
	}
	return j.number < other.number
}

// Schedule implements store.Tx.
func (w *world) Schedule(job store.Job) error {
	if !w.writing {
		return errReadOnly
	}
	w.lastJob++
	added := numberedJob{job, w.lastJob}
	w.undo = append(w.undo, func() { w.jobs.Delete(added) })
	w.jobs.Load(added) // faster than Set at the end
	return nil
}

// NextJob implements store.Tx.
func (w *world) NextJob() (store.Job, error) {
	first, ok := w.jobs.Min()
	if !ok {
		return store.Job{}, store.ErrNotFound
	}
	return first.Job, nil
}

// FinishJob implements store.Tx.
func (w *world) FinishJob() error {
	first, ok := w.jobs.Min()
	if !ok {
		return store.ErrNotFound
	}
	if !w.writing {
		return errReadOnly
	}
	w.undo = append(w.undo, func() { w.jobs.Set(first) })
	w.jobs.PopMin()
	return nil
}

// Jobs implements store.Tx.
func (w *world) Jobs() ([]store.Job, error) {
	list := make([]store.Job, 0, w.jobs.Len())
	w.jobs.Scan(func(job numberedJob) bool {
		list = append(list, job.Job)
		return true
	})
	return list, nil
}
