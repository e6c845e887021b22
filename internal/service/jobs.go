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

// A job is a document that is due: an account or a transfer with a planned step, or a key that expires.

// nextDueJob returns the world's earliest job, or nil, and whether it is due.
func nextDueJob(tx store.Tx, now time.Time) (job store.Document, due bool, err error) {
	job, err = tx.NextDue()
	if errors.Is(err, store.ErrNotFound) {
		return nil, false, nil
	}
	return job, err == nil && !job.DueAt().After(now), err
}

// One transaction runs at most jobsPerUpdate jobs, for about jobsTime. Requests of other worlds wait for it. A job
// takes some 0.1 ms in a database, but far longer if its record has a megabyte.
const (
	jobsPerUpdate = 100
	jobsTime      = 20 * time.Millisecond
)

// runDueJobs runs the due jobs, each at its own time: the result does not depend on when a request comes. It stops at
// the bounds of a transaction or when the context ends. More reports whether a job is still due.
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
		w.now = job.DueAt()
		if err := s.run(w, job); err != nil {
			return false, fmt.Errorf("job of %s: %w", job.DocumentID(), err)
		}
	}
}

// run does one job. Afterwards its document is gone or due at another time.
func (s *Service) run(w *work, job store.Document) error {
	switch of := job.(type) {
	case *store.Account:
		return s.runKYC(w, of)
	case *store.Transfer:
		return s.runTransfer(w, of)
	case *store.Key:
		return w.Keys().Delete(of.ID)
	}
	return fmt.Errorf("no job is known of a %T", job)
}
