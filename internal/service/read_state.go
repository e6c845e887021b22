package service

import (
	"context"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// A readable describes how records R are read as values T. Clients can wait for their changes.
type readable[R, T any] struct {
	what  string // in the error not found
	table func(*work) store.Table[R]
	show  func(*R) T
	// progress returns the record's revision, how many reads its next step waits for, and the reads so far.
	progress func(*R) (revision, polls int, polled *int)
	step     func(*work, *R) error
}

// readState reads a subject. It waits for a change if the options ask for that. If the subject's next step waits for
// reads, this read counts once, and may take the step. Other reads write nothing.
func readState[R, T any](
	ctx context.Context, s *Service, id string, options ReadOptions, of readable[R, T],
) (result State[T], err error) {
	counted := false
	err = s.waitForChange(ctx, options.Wait, func() (unchanged bool, err error) {
		for {
			waits := false
			err := s.view(ctx, func(w *work) error {
				record, err := get(of.table(w), of.what, id)
				if err != nil {
					return err
				}
				revision, polls, _ := of.progress(record)
				waits = polls > 0
				result, err = readResult(w, s.entityTag(w, revision), options, func() T { return of.show(record) })
				return err
			})
			if err != nil || !waits || counted {
				return result.NotModified, err
			}
			counted = true
			if err := s.update(ctx, func(w *work) error { return of.countRead(w, id) }); err != nil {
				return false, err
			}
		}
	})
	return result, err
}

// readResult returns a resource with an entity tag, as the options ask.
func readResult[T any](w *work, tag string, options ReadOptions, show func() T) (result State[T], err error) {
	result.ETag = tag
	if result.NotModified = options.Matches(tag); !result.NotModified {
		result.Value = show()
	}
	return result, w.require(tag)
}

// countRead counts a read. The next step comes after as many reads as it waits for.
func (of readable[R, T]) countRead(w *work, id string) error {
	record, err := get(of.table(w), of.what, id)
	if err != nil {
		return err
	}
	_, polls, polled := of.progress(record)
	if polls == 0 {
		return nil
	}
	if *polled >= polls {
		if err := of.step(w, record); err != nil {
			return err
		}
		if record, err = of.table(w).Get(id); err != nil { // this read shows the next state
			return err
		}
	}
	counted := *record
	_, _, polled = of.progress(&counted)
	*polled++
	return of.table(w).Put(&counted)
}

// readKYC returns how identity checks are read.
func (s *Service) readKYC() readable[store.Account, payments.KYC] {
	return readable[store.Account, payments.KYC]{
		"account", (*work).Accounts, func(a *store.Account) payments.KYC { return a.KYC },
		func(a *store.Account) (revision, polls int, polled *int) {
			if len(a.Plan) > 0 {
				polls = a.Plan[0].Polls
			}
			return a.Revision, polls, &a.Polled
		}, s.stepKYC,
	}
}

// readTransfer returns how transfers are read.
func (s *Service) readTransfer() readable[store.Transfer, payments.Transfer] {
	return readable[store.Transfer, payments.Transfer]{
		"transfer", (*work).Transfers, TransferResponse,
		func(t *store.Transfer) (revision, polls int, polled *int) {
			if len(t.Plan) > 0 {
				polls = t.Plan[0].Polls
			}
			return t.Revision, polls, &t.Polled
		}, s.stepTransfer,
	}
}
