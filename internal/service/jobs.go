package service

import (
	"errors"
	"fmt"
	"time"

	"github.com/payctl/payctl/internal/store"
)

func isDue(tx store.Tx, now time.Time) (bool, error) {
	job, err := tx.NextJob()
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil && !job.At.After(now), err
}

// catchUp runs every job that is due, each at its own moment, so that what happens does not depend on when it is
// noticed.
func (s *Service) catchUp(w *work) error {
	until := w.now
	defer func() { w.now = until }()
	for {
		job, err := w.NextJob()
		if errors.Is(err, store.ErrNotFound) || err == nil && job.At.After(until) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := w.FinishJob(); err != nil {
			return err
		}
		w.now = job.At
		if err := s.run(w, job); err != nil {
			return fmt.Errorf("%s job of %s: %w", job.Kind, job.Subject, err)
		}
	}
}

// run does one job. A job whose subject is gone, or has changed since the job was made, has nothing to do.
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
