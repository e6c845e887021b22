package sql

import (
	"cmp"
	"time"

	"github.com/payctl/payctl/internal/store"
)

const (
	selectJobs = "SELECT due, number, kind, subject, revision FROM jobs WHERE world = $1"
	inOrder    = " ORDER BY due, number"
	allJobs    = selectJobs + inOrder
	laterJobs  = " FROM jobs WHERE world = $1 AND (due, number) > ($2, $3)"
	// nextJobs selects at most $4 jobs that are due by a time ($5), and the one after them, if there is one.
	nextJobs = selectJobs + " AND (due, number) > ($2, $3)" + inOrder +
		" LIMIT (SELECT 1 + count(*) FROM (SELECT 1" + laterJobs + " AND due <= $5" + inOrder + " LIMIT $4) AS due_jobs)"
	// deleteJobs deletes jobs from one to another. Without the first one, PostgreSQL would look through all those that
	// were deleted since it has cleaned up the table.
	deleteJobs = "DELETE FROM jobs WHERE world = $1 AND (due, number) >= ($2, $3) AND (due, number) <= ($4, $5)"
)

// lastDue is the latest time that a job may be due.
var lastDue = timeText(latest)

var insertJobs = Insertion{Table: "jobs", Columns: []Column{
	{Name: "world"}, {Name: "due"}, {Name: "number", Integer: true}, {Name: "kind"}, {Name: "subject"},
	{Name: "revision", Integer: true},
}}

// first is the earliest job; the error is store.ErrNotFound if there is none.
func (t *tx) first() (queuedJob, error) {
	window := &t.state.jobs
	if !window.knowsFirst() {
		if err := t.extend(window); err != nil {
			return queuedJob{}, err
		}
		if !t.writes() {
			t.state.cached(func(c *cache) { c.jobs = window.copy() })
		}
	}
	job, ok := window.jobs.Min()
	if !ok {
		return queuedJob{}, store.ErrNotFound
	}
	return job, nil
}

// extend adds the next jobs of the table to a window. It also fetches the transfers of those that are due, so that an
// update does not wait for each of them.
func (t *tx) extend(window *jobWindow) error {
	if !t.writes() || !t.store.dialect.Remote {
		after := window.through
		jobs, err := t.readJobs(nextJobs, t.state.head.contents, after.due, after.number, int64(jobsAtOnce), lastDue)
		if err == nil {
			window.extend(jobs, lastDue)
		}
		return err
	}
	p := newPrefetch(t.state.head)
	p.queueJobs(t.group, t.store.schemas.transfers, window.through, time.Now(), lastDue)
	err := t.fail(t.conn.Send())
	if err = cmp.Or(err, p.err); err != nil {
		return err
	}
	for key, r := range p.records {
		if _, known := t.known(key); !known {
			t.remember(key, r.record, r.bytes)
		}
	}
	window.extend(p.jobs, lastDue)
	return nil
}

// readJobs reads jobs of the table, which need not have those that are buffered.
func (t *tx) readJobs(query string, args ...any) ([]queuedJob, error) {
	var jobs []queuedJob
	err := t.read(query, args, func(scan func(...any) error) error {
		job, err := scanJob(scan)
		jobs = append(jobs, job)
		return err
	})
	return jobs, err
}

func scanJob(scan func(...any) error) (job queuedJob, err error) {
	var kind string
	var revision int64
	if err := scan(&job.due, &job.number, &kind, &job.Subject, &revision); err != nil {
		return job, err
	}
	job.Kind, job.Revision = store.JobKind(kind), int(revision)
	job.At, err = parseTimeText(job.due)
	return job, err
}

// Schedule implements store.Tx.
func (t *tx) Schedule(job store.Job) error {
	if !t.writes() {
		return errReadOnly
	}
	added := queuedJob{job, timeText(job.At), t.state.head.jobs + 1}
	var err error
	if added.At, err = parseTimeText(added.due); err != nil { // as it will be read
		return err
	}
	t.state.head.jobs = added.number
	t.own.added = append(t.own.added, added)
	t.state.jobs.jobs.Set(added)
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
	t.own.finish(job)
	t.state.jobs.jobs.Delete(job)
	return t.flushIfFull()
}

// Jobs implements store.Tx.
func (t *tx) Jobs() ([]store.Job, error) {
	if err := t.flush(); err != nil {
		return nil, err
	}
	jobs, err := t.readJobs(allJobs, t.state.head.contents)
	list := make([]store.Job, 0, len(jobs))
	for _, job := range jobs {
		list = append(list, job.Job)
	}
	return list, err
}
