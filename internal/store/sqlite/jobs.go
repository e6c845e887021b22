package sqlite

import (
	"sync"

	"github.com/payctl/payctl/internal/store"
)

const (
	jobsTable  = "jobs"
	selectJobs = "SELECT due, number, kind, subject, revision FROM jobs WHERE world = $1"
	inOrder    = " ORDER BY due, number"
	allJobs    = selectJobs + inOrder
	firstJobs  = allJobs + " LIMIT $2"
	nextJobs   = selectJobs + " AND (due, number) > ($3, $4)" + inOrder + " LIMIT $2"
	finishJobs = "DELETE FROM jobs WHERE world = $1 AND (due, number) <= ($2, $3)"
)

var insertJobs = sync.OnceValue(func() insertion {
	return newInsertion(jobsTable, []string{"world", "due", "number", "kind", "subject", "revision"}, "")
})

// queue is what the writer knows of the world's jobs.
func (t *tx) queue() *queue {
	known := t.cache.world(t.world)
	if known.queue == nil {
		known.queue = newQueue()
	}
	return known.queue
}

// first is the earliest job; the error is store.ErrNotFound when there is none.
func (t *tx) first() (numbered, error) {
	if !t.writes {
		jobs, err := t.readJobs(firstJobs, t.world, 1)
		if err == nil && len(jobs) == 0 {
			err = store.ErrNotFound
		}
		if err != nil {
			return numbered{}, err
		}
		return jobs[0], nil
	}
	q := t.queue()
	job, ok, known := q.first()
	if !known {
		jobs, err := t.readJobs(nextJobs, t.world, ahead, q.through.due, q.through.number)
		if err != nil {
			return numbered{}, err
		}
		q.read(jobs, ahead)
		job, ok, _ = q.first()
	}
	if !ok {
		return numbered{}, store.ErrNotFound
	}
	return job, nil
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
	if !t.writes {
		return errReadOnly
	}
	now, err := t.counters()
	if err != nil {
		return err
	}
	now.jobs++
	due := instant(job.At)
	added := numbered{job, due, now.jobs}
	if added.At, err = moment(due); err != nil { // as it will be read
		return err
	}
	t.moved(now).queue(queued{numbered: added})
	t.queue().jobs.Set(added)
	return t.relieve()
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
	if !t.writes {
		return errReadOnly
	}
	t.own.of(t.world).queue(queued{job, true})
	t.queue().jobs.Delete(job)
	return t.relieve()
}

// Jobs implements store.Tx.
func (t *tx) Jobs() ([]store.Job, error) {
	if err := t.settle(); err != nil {
		return nil, err
	}
	jobs, err := t.readJobs(allJobs, t.world)
	list := make([]store.Job, 0, len(jobs))
	for _, job := range jobs {
		list = append(list, job.Job)
	}
	return list, err
}
