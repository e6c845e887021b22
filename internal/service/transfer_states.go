package service

import (
	"fmt"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/routes"
	"github.com/payctl/payctl/internal/store"
)

// This file moves transfers along the transitions of payments.TransferState; docs/CONTRACT.md lists them.

// moveTransfer puts a transfer into a state and saves it, with the event of the transition.
func (s *Service) moveTransfer(w *work, t *store.Transfer, state payments.TransferState, reason string) error {
	from := t.State
	if !from.CanBecome(state) {
		return fmt.Errorf("a transfer cannot go from %s to %s", from, state)
	}
	if err := s.enterTransferState(w, t, state, reason); err != nil {
		return err
	}
	if err := w.appendTransferEvent(t, from); err != nil {
		return err
	}
	return s.saveTransfer(w, t)
}

// enterTransferState puts a transfer into a state, with the members of the state.
func (s *Service) enterTransferState(w *work, t *store.Transfer, state payments.TransferState, reason string) error {
	funded := t.Deposit != nil ||
		t.State != payments.TransferStateAwaitingFunds && t.State != payments.TransferStateInReview
	t.State, t.UpdatedAt, t.Polled = state, w.now, 0
	t.Revision++
	switch state {
	case payments.TransferStateFundsReceived:
		return s.addOnchain(w, t, "source", t.Source)
	case payments.TransferStatePaymentSubmitted:
		return s.addOnchain(w, t, "destination", t.Destination)
	case payments.TransferStateReturned:
		t.ReturnCode = new(reason)
		t.Refund = newRefund(t, reason)
	case payments.TransferStateUndeliverable, payments.TransferStateFailed:
		t.FailureReason = new(reason)
		if funded {
			t.Refund = newRefund(t, reason)
		}
	case payments.TransferStateRefunded:
		if t.Refund != nil {
			done := *t.Refund
			done.CompletedAt = new(w.now)
			t.Refund = &done
		}
		return s.addOnchain(w, t, "refund", t.Source)
	}
	return nil
}

// newRefund returns the refund of the deposit.
func newRefund(t *store.Transfer, reason string) *payments.Refund {
	amount := t.Source.Amount
	if t.Deposit != nil {
		amount = t.Deposit
	}
	return &payments.Refund{Amount: *amount, Currency: t.Source.Currency, Reason: reason}
}

// addOnchain adds a transaction if a side is on a chain.
func (s *Service) addOnchain(w *work, t *store.Transfer, name string, side payments.TransferSide) error {
	endpoint, ok := s.catalogue.Endpoint(side.PaymentRail, side.Currency)
	if !ok || endpoint.Kind != routes.RailChain {
		return nil
	}
	hash, err := s.ids.hash()
	if err != nil {
		return err
	}
	t.OnchainTransactions = append(slices.Clip(t.OnchainTransactions), // other records share it
		payments.OnchainTransaction{Side: name, PaymentRail: side.PaymentRail, Hash: hash, CreatedAt: w.now})
	return nil
}

// saveTransfer stores a transfer and schedules its next step.
func (s *Service) saveTransfer(w *work, t *store.Transfer) error {
	t.StepAt = time.Time{}
	if len(t.Plan) > 0 && t.Plan[0].Polls == 0 {
		t.StepAt = w.after(t.Plan[0].After)
	}
	return w.Transfers().Put(t)
}

// runTransfer takes the due step of a transfer. A step that waits for a deposit is due when the time is over. A
// restored transfer may lack the step.
func (s *Service) runTransfer(w *work, record *store.Transfer) error {
	transfer := *record
	switch {
	case len(record.Plan) == 0:
		transfer.StepAt = time.Time{}
		return w.Transfers().Put(&transfer)
	case !record.Plan[0].ByDeposit:
		return s.stepTransfer(w, record)
	}
	transfer.Plan = nil
	return s.moveTransfer(w, &transfer, payments.TransferStateExpired, "")
}

// stepTransfer takes the first step of a transfer's plan.
func (s *Service) stepTransfer(w *work, record *store.Transfer) error {
	transfer := *record
	step := transfer.Plan[0]
	if transfer.Plan = transfer.Plan[1:]; len(transfer.Plan) == 0 {
		transfer.Plan = nil // releases the memory of the plan
	}
	switch step.State {
	case payments.TransferStateInReview, payments.TransferStateFundsReceived: // the deposit arrived
		if !s.canReceive(&transfer) {
			transfer.Plan, step = nil, store.TransferStep{State: payments.TransferStateFailed, Reason: ReasonRouteUnavailable}
			break
		}
		if err := s.receive(&transfer); err != nil {
			return err
		}
		if step.Polls > 0 && transfer.State == payments.TransferStateAwaitingFunds {
			s.renewSettlement(w, &transfer)
		}
		if step.State == payments.TransferStateInReview {
			transfer.Deposit = transfer.Source.Amount
		}
	}
	return s.moveTransfer(w, &transfer, step.State, step.Reason)
}
