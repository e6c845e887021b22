package sqlite

import (
	"github.com/payctl/payctl/internal/store"
)

// numbered is a job with its number among those of its moment.
type numbered struct {
	store.Job
	number int64
}

const (
	jobsTable = "jobs"
	schedule  = "INSERT INTO jobs (world, due, number, kind, subject, revision) " +
		"SELECT $1, $2, COALESCE(MAX(number), 0) + 1, $3, $4, $5 FROM jobs WHERE world = $1 AND due = $2"
	allJobs   = "SELECT due, number, kind, subject, revision FROM jobs WHERE world = $1 ORDER BY due, number"
	nextJob   = allJobs + " LIMIT 1"
	finishJob = "DELETE FROM jobs WHERE world = $1 AND due = $2 AND number = $3"
)

// Schedule implements store.Tx.
func (t *tx) Schedule(job store.Job) error {
	t.next = nil
	_, err := t.change(schedule, t.world, instant(job.At), string(job.Kind), job.Subject, job.Revision)
	return err
}

// NextJob implements store.Tx.
func (t *tx) NextJob() (store.Job, error) {
	if t.next == nil {
		var due string
		var job numbered
		if err := t.connection.row(t.ctx, nextJob, []any{t.world}, &due, &job.number, &job.Kind, &job.Subject, &job.Revision); err != nil {
			return store.Job{}, t.fail(err)
		}
		var err error
		if job.At, err = moment(due); err != nil {
			return store.Job{}, err
		}
		t.next = &job
	}
	return t.next.Job, nil
}

// FinishJob implements store.Tx.
func (t *tx) FinishJob() error {
	if _, err := t.NextJob(); err != nil {
		return err
	}
	done := t.next
	t.next = nil
	_, err := t.change(finishJob, t.world, instant(done.At), done.number)
	return err
}

// Jobs implements store.Tx.
func (t *tx) Jobs() ([]store.Job, error) {
	list := []store.Job{}
	err := t.connection.rows(t.lists, allJobs, []any{t.world}, func(scan func(...any) error) error {
		var due string
		var job numbered
		if err := scan(&due, &job.number, &job.Kind, &job.Subject, &job.Revision); err != nil {
			return err
		}
		at, err := moment(due)
		job.At = at
		list = append(list, job.Job)
		return err
	})
	return list, t.fail(err)
}
