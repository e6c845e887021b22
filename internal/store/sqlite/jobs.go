package sqlite

import (
	"slices"

	"github.com/payctl/payctl/internal/store"
)

const (
	jobsTable = "jobs"
	schedule  = "INSERT INTO jobs (world, due, number, kind, subject, revision) VALUES ($1, $2, " +
		"(SELECT COALESCE(MAX(number), 0) + 1 FROM jobs WHERE world = $1 AND due = $2), $3, $4, $5)"
	allJobs   = "SELECT due, number, kind, subject, revision FROM jobs WHERE world = $1 ORDER BY due, number"
	firstJobs = allJobs + " LIMIT $2"
	finishJob = "DELETE FROM jobs WHERE world = $1 AND due = $2 AND number = $3"
)

// numbered is a job with its number among those of its moment.
type numbered struct {
	store.Job
	due    string // its moment
	number int64
}

// upcoming is the beginning of a world's queue of jobs, as far as it is known.
type upcoming struct {
	jobs []numbered
	all  bool // there are no more
}

// ahead is how many jobs an update reads at once; it is likely to run more than one.
const ahead = 32

// added says that a job was added for a moment: what is known of the queue ends before it.
func (u *upcoming) added(due string) {
	u.all = false
	behind := slices.IndexFunc(u.jobs, func(j numbered) bool { return j.due > due })
	if behind >= 0 {
		u.jobs = u.jobs[:behind]
	}
}

// queue is what the transaction knows of its world's jobs.
func (t *tx) queue() *upcoming {
	if t.jobs == nil {
		t.jobs = &upcoming{}
		if t.cache != nil {
			at := place{world: t.world}
			if known, ok := t.cache.get(at).(*upcoming); ok {
				t.jobs = known
			} else {
				t.cache.set(at, t.jobs)
			}
		}
	}
	return t.jobs
}

// first is the earliest job; the error is store.ErrNotFound when there is none.
func (t *tx) first() (numbered, error) {
	q := t.queue()
	if len(q.jobs) == 0 && !q.all {
		limit := 1
		if t.writes {
			limit = ahead
		}
		jobs, err := t.readJobs(firstJobs, t.world, limit)
		if err != nil {
			return numbered{}, err
		}
		q.jobs, q.all = jobs, len(jobs) < limit
	}
	if len(q.jobs) == 0 {
		return numbered{}, store.ErrNotFound
	}
	return q.jobs[0], nil
}

func (t *tx) readJobs(query string, args ...any) ([]numbered, error) {
	var jobs []numbered
	err := t.connection.rows(t.lists, query, args, func(scan func(...any) error) error {
		var job numbered
		if err := scan(&job.due, &job.number, &job.Kind, &job.Subject, &job.Revision); err != nil {
			return err
		}
		at, err := moment(job.due)
		job.At = at
		jobs = append(jobs, job)
		return err
	})
	return jobs, t.fail(err)
}

// Schedule implements store.Tx.
func (t *tx) Schedule(job store.Job) error {
	due := instant(job.At)
	_, err := t.change(place{world: t.world}, schedule, t.world, due, string(job.Kind), job.Subject, job.Revision)
	if err == nil {
		t.queue().added(due)
	}
	return err
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
	if _, err := t.change(place{world: t.world}, finishJob, t.world, job.due, job.number); err != nil {
		return err
	}
	q := t.queue()
	q.jobs = q.jobs[1:]
	return nil
}

// Jobs implements store.Tx.
func (t *tx) Jobs() ([]store.Job, error) {
	jobs, err := t.readJobs(allJobs, t.world)
	list := make([]store.Job, 0, len(jobs))
	for _, job := range jobs {
		list = append(list, job.Job)
	}
	return list, err
}
