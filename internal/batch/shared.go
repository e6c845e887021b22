package batch

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/payctl/payctl/internal/payments"
)

// maxCertain is the most rows of a file of which every reference is looked up. Of a larger file at least half as many are.
const maxCertain = 1000

// A sample is of the references of a file: all of a small one, and of a larger one some that stand evenly apart.
type sample struct {
	references []string
	seen       int
	every      int // of so many references one is taken; zero: each
}

// add takes a reference in when it is its turn.
func (s *sample) add(reference string) {
	s.seen++
	s.every = max(s.every, 1)
	if (s.seen-1)%s.every != 0 {
		return
	}
	if len(s.references) == maxCertain {
		for i := range maxCertain / 2 {
			s.references[i] = s.references[2*i]
		}
		s.references = s.references[:maxCertain/2]
		if s.every *= 2; (s.seen-1)%s.every != 0 {
			return
		}
	}
	s.references = append(s.references, strings.Clone(reference))
}

// shared says whether references of the file belong to transfers that were not made by this batch and that the journal does
// not know of: the file was edited, or shares rows with another, and was paid on another machine or long ago. Keys that have
// been forgotten, or that a service does not honour, would not keep those rows from being paid again.
func (s *Sender) shared(ctx context.Context, report Report) (bool, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	references := make(chan string)
	var found atomic.Bool
	var done atomic.Int64
	report.LookedUp(0, len(s.Sample))
	var group sync.WaitGroup
	for range s.Concurrency {
		group.Go(func() {
			for reference := range references {
				if found.Load() || ctx.Err() != nil {
					continue
				}
				var there bool
				err := s.ask(ctx, func(ctx context.Context) (err error) {
					_, there, err = s.elsewhere(ctx, reference)
					return err
				})
				if err != nil {
					cancel(err)
				}
				if there {
					found.Store(true)
				}
				report.LookedUp(int(done.Add(1)), len(s.Sample))
			}
		})
	}
	for _, reference := range s.Sample {
		references <- reference
	}
	close(references)
	group.Wait()
	return found.Load(), context.Cause(ctx)
}

// ask asks the service something before the first row is sent, with the same patience as the rows have.
func (s *Sender) ask(ctx context.Context, question func(context.Context) error) error {
	for {
		if err := s.gate.enter(ctx); err != nil {
			return err
		}
		err := question(payments.Paced(ctx))
		outcome, next := judge(err)
		switch {
		case err == nil:
		case next == slower && s.gate.slow(payments.RetryAfter(err)) <= longestPause:
		case next == later, outcome == Unknown: // a question may be asked again whatever became of it
			if s.gate.unreachable(err) <= s.Patience {
				break
			}
			fallthrough
		default:
			s.gate.leave(false)
			return err
		}
		s.gate.leave(err == nil)
		if err == nil {
			return nil
		}
	}
}

// elsewhere finds the transfer that has a reference where the journal does not know of it.
func (s *Sender) elsewhere(ctx context.Context, reference string) (transfer payments.Transfer, found bool, err error) {
	// Any other entry than of one that is done says nothing of it: the run that put it down may have ended before it looked.
	entry, known, err := s.Journal.Lookup(ctx, payments.Intent{Operation: s.Operation, Key: s.Key(reference).Key})
	if err != nil || known && entry.Outcome == payments.OutcomeDone {
		return transfer, false, err
	}
	return payments.FirstTransfer(ctx, s.Service, payments.TransferFilter{Reference: reference})
}

// take makes a row's result of the transfer that its reference has. The journal is told where it is the row's own: a later run
// need not look, and would send it.
func (s *Sender) take(j *job, existing payments.Transfer) {
	differences := s.Differences(j.ready.Request, existing)
	if len(differences) == 0 {
		j.result.created(j.ready.Request, existing.ID, string(existing.State))
		j.result.Before = true
		j.result.ProblemType, j.result.Detail = "", ""
		err := s.Journal.End(j.ready.Intent, payments.Result{
			Outcome: payments.OutcomeDone, Subject: existing.ID, State: string(existing.State), World: j.ready.Intent.World,
		})
		if err != nil {
			s.stop(fmt.Errorf("what became of a row cannot be put down in the journal: %w", err)) // it is a transfer all the same
		}
		return
	}
	j.result.Outcome, j.result.ProblemType, j.result.TransferID, j.result.State = Refused, reused, existing.ID, string(existing.State)
	j.result.Detail = "the reference belongs to the transfer " + existing.ID + ", which differs: " + strings.Join(differences, "; ")
}
