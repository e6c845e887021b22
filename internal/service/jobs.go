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

// One transaction runs jobsPerUpdate jobs, or as many as it can in jobsTime, so that requests of other worlds do not
// wait long for it. A job takes some 0.1 ms in a database, but far longer if its record has a megabyte.
const (
	jobsPerUpdate = 100
	jobsTime      = 20 * time.Millisecond
)

// runDueJobs runs the jobs that are due, each at its own time: what happens does not depend on when a request comes. It
// stops when the transaction has run as many as it may, or the context ends. It reports whether a job is still due.
func (s *Service) runDueJobs(ctx context.Context, w *work) (more bool, err error) {
	until, began := w.now, time.Now()
	defer func() { w.now = until }()
	for ran := 0; ; ran++ {
		job, due, err := nextDueJob(w.Tx, until)
		if err != nil || !due {
			return false, err
		}
		if ran == jobsPerUpdate || ran > 0 && time.Since(began) >= jobsTime || ctx.Err() != nil {
			return true, nil
		}
		if err := w.FinishJob(job); err != nil {
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
