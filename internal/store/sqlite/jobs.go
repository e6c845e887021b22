package sqlite

import "github.com/payctl/payctl/internal/store"

const (
	selectJobs = "SELECT due, number, kind, subject, revision FROM jobs WHERE world = $1"
	inOrder    = " ORDER BY due, number"
	allJobs    = selectJobs + inOrder
	firstJob   = allJobs + " LIMIT 1"
	nextJobs   = selectJobs + " AND (due, number) > ($2, $3)" + inOrder + " LIMIT $4"
	deleteJobs = "DELETE FROM jobs WHERE world = $1 AND (due, number) <= ($2, $3)"
)

var insertJobs = newInsertion("jobs", "", "world", "due", "number", "kind", "subject", "revision")

// window is what the writer knows of the world's jobs.
func (t *tx) window() *jobWindow { return &t.batch.cache.world(t.contents).jobs }

// first is the earliest job; the error is store.ErrNotFound if there is none.
func (t *tx) first() (queuedJob, error) {
	if !t.writes() {
		jobs, err := t.readJobs(firstJob, t.contents)
		if err == nil && len(jobs) == 0 {
			err = store.ErrNotFound
		}
		return append(jobs, queuedJob{})[0], err
	}
	window := t.window()
	if !window.knowsFirst() {
		jobs, err := t.readJobs(nextJobs, t.contents, window.through.due, window.through.number, jobsAtOnce)
		if err != nil {
			return queuedJob{}, err
		}
		window.extend(jobs)
	}
	job, ok := window.jobs.Min()
	if !ok {
		return queuedJob{}, store.ErrNotFound
	}
	return job, nil
}

// readJobs reads jobs of the table, which need not have those that are buffered.
func (t *tx) readJobs(query string, args ...any) ([]queuedJob, error) {
	var jobs []queuedJob
	err := t.conn.Rows(t.ctx, query, args, func(scan func(...any) error) error {
		var job queuedJob
		err := scan(&job.due, &job.number, &job.Kind, &job.Subject, &job.Revision)
		if err == nil {
			job.At, err = parseTimeText(job.due)
		}
		jobs = append(jobs, job)
		return err
	})
	return jobs, t.fail(err)
}

// Schedule implements store.Tx.
func (t *tx) Schedule(job store.Job) error {
	if !t.writes() {
		return errReadOnly
	}
	counters, err := t.counters()
	if err != nil {
		return err
	}
	counters.jobs++
	added := queuedJob{job, timeText(job.At), counters.jobs}
	if added.At, err = parseTimeText(added.due); err != nil { // as it will be read
		return err
	}
	t.setCounters(counters).setJob(jobWrite{queuedJob: added})
	t.window().jobs.Set(added)
	return t.flushIfFull()
}

// NextJob implements store.Tx.
func (t *tx) NextJob() (store.Job, error) {
	job, err := t.first()
	return job.Job, err
}

// FinishJob implements store.Tx.
func (t *tx) FinishJob() error {
	job, err := t.first()
	if err != nil {
		return err
	}
	if !t.writes() {
		return errReadOnly
	}
	t.own.world(t.contents).setJob(jobWrite{job, true})
	t.window().jobs.Delete(job)
	return t.flushIfFull()
}

// Jobs implements store.Tx.
func (t *tx) Jobs() ([]store.Job, error) {
	if err := t.flush(); err != nil {
		return nil, err
	}
	jobs, err := t.readJobs(allJobs, t.contents)
	list := make([]store.Job, 0, len(jobs))
	for _, job := range jobs {
		list = append(list, job.Job)
	}
	return list, err
}
