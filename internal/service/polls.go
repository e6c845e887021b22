package service

import (
	"context"
)

// A poll counts one read of a subject whose next step waits for a number of reads, however often the read looks while
// it is held. Reads of other subjects cost nothing more.
type poll struct {
	count   func() error
	counted bool
}

// view runs look, which says whether the subject waits for reads; then this read is counted, and look runs again.
func (p *poll) view(ctx context.Context, s *Service, look func(*work) (bool, error)) error {
	for {
		waits := false
		err := s.view(ctx, func(w *work) (err error) {
			waits, err = look(w)
			return err
		})
		if err != nil || !waits || p.counted {
			return err
		}
		p.counted = true
		if err := p.count(); err != nil {
			return err
		}
	}
}

// pollKYC counts a read of an identity check: each state is shown as often as its step waits for reads, then the next.
func (s *Service) pollKYC(ctx context.Context, accountID string) error {
	return s.update(ctx, func(w *work) error {
		record, err := get(w.Accounts(), "account", accountID)
		if err != nil || len(record.Plan) == 0 || record.Plan[0].Polls == 0 {
			return err
		}
		if record.Polled >= record.Plan[0].Polls {
			if err := s.stepKYC(w, record); err != nil {
				return err
			}
			if record, err = w.Accounts().Get(accountID); err != nil { // which this read is the first to show
				return err
			}
		}
		account := *record
		account.Polled++
		return w.Accounts().Put(&account)
	})
}

// pollTransfer counts a read of a transfer.
func (s *Service) pollTransfer(ctx context.Context, transferID string) error {
	return s.update(ctx, func(w *work) error {
		record, err := get(w.Transfers(), "transfer", transferID)
		if err != nil || len(record.Plan) == 0 || record.Plan[0].Polls == 0 {
			return err
		}
		if record.Polled >= record.Plan[0].Polls {
			if err := s.stepTransfer(w, record); err != nil {
				return err
			}
			if record, err = w.Transfers().Get(transferID); err != nil { // which this read is the first to show
				return err
			}
		}
		transfer := *record
		transfer.Polled++
		return w.Transfers().Put(&transfer)
	})
}
