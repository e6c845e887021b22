package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/payctl/payctl/internal/store"
)

// RunDueJobs runs every job that is due.
func (s *Service) RunDueJobs(ctx context.Context) error {
	return s.update(ctx, func(*work) error { return nil })
}

// nextDueJob returns the world's earliest job if it is due.
func nextDueJob(tx store.Tx, now time.Time) (job store.Job, due bool, err error) {
	job, err = tx.NextJob()
	if errors.Is(err, store.ErrNotFound) {
		return job, false, nil
	}
	return job, err == nil && !job.At.After(now), err
}

// jobsPerUpdate is how many jobs one transaction runs, so that requests of other worlds do not wait long for it. A job
// takes some 0.1 ms in a database.
const jobsPerUpdate = 100

// runDueJobs runs the jobs that are due, each at its own time: what happens does not depend on when a request comes. It
// runs jobsPerUpdate at most, and stops when the context ends. It reports whether a job is still due.
func (s *Service) runDueJobs(ctx context.Context, w *work) (more bool, err error) {
	until := w.now
	defer func() { w.now = until }()
	for ran := 0; ; ran++ {
		job, due, err := nextDueJob(w, until)
		if err != nil || !due {
			return false, err
		}
		if ran == jobsPerUpdate || ctx.Err() != nil {
			return true, nil
		}
		if err := w.FinishJob(); err != nil {
			return false, err
		}
		w.now = job.At
		if err := s.run(w, job); err != nil {
			return false, fmt.Errorf("%s job of %s: %w", job.Kind, job.Subject, err)
		}
	}
}

// run does one job. It does nothing if the job's subject is gone, or has changed since the job was made.
func (s *Service) run(w *work, job store.Job) error {
	var err error
	switch job.Kind {
	case store.JobKYC:
		err = s.runKYC(w, job)
	case store.JobTransfer:
		err = s.runTransfer(w, job)
	case store.JobExpireKey:
		err = w.Keys().Delete(job.Subject)
	}
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}
