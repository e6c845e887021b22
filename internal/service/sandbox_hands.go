package service

import (
	"context"
	"fmt"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// Why a deposit fails its transfer. The route is not available when the catalogue, which is another one than that of the
// transfer's making, does not have it.
const (
	ReasonFundingMismatch    = "funding_amount_mismatch"
	ReasonFundingOutOfBounds = "funding_amount_out_of_bounds"
	ReasonRouteUnavailable   = "route_unavailable"
)

// Reasons of states that were entered by hand without one.
const (
	reasonDeclined = "provider_declined"
	reasonRejected = "beneficiary_rejected"
	reasonClosed   = "account_closed"
)

// SetSandboxKYC implements payments.SandboxHands. What was planned for the identity check is dropped.
func (s *Service) SetSandboxKYC(ctx context.Context, accountID string, change payments.SandboxKYC) (kyc payments.KYC, err error) {
	err = s.update(ctx, func(w *work) error {
		record, err := get(w.Accounts(), "account", accountID)
		if err != nil {
			return err
		}
		account := *record
		if !account.KYC.Status.CanBecome(change.Status) {
			return payments.Refuse(payments.KindInvalidState, "The identity check of account %s is %s, which cannot become %s.",
				account.ID, account.KYC.Status, change.Status)
		}
		account.Plan = nil
		if change.Status == payments.KYCStatusPending {
			countSubmission(w, &account)
		}
		var reasons []payments.KYCReason
		for _, code := range change.Reasons {
			reasons = append(reasons, Reason(code))
		}
		s.enterKYC(w, &account, change.Status, reasons)
		planExpiry(&account)
		kyc = account.KYC
		return s.saveKYC(w, &account)
	})
	return kyc, err
}

// SetSandboxTransferState implements payments.SandboxHands. What was planned for the transfer is dropped.
func (s *Service) SetSandboxTransferState(ctx context.Context, transferID string, change payments.SandboxTransferState) (moved payments.Transfer, err error) {
	reason := change.Reason
	switch typical, takes := typicalReason(change.State); {
	case reason != "" && !takes:
		return moved, payments.Invalid(payments.FieldErrors{"reason": {fmt.Sprintf("The reason field does not go with the state %s.", change.State)}})
	case reason == "":
		reason = typical
	}
	err = s.update(ctx, func(w *work) error {
		record, err := get(w.Transfers(), "transfer", transferID)
		if err != nil {
			return err
		}
		transfer := *record
		if !transfer.State.CanBecome(change.State) {
			return payments.Refuse(payments.KindInvalidState, "The transfer %s is %s, which cannot become %s.", transfer.ID, transfer.State, change.State)
		}
		transfer.Plan = nil
		if change.State == payments.TransferStateFundsReceived {
			if !s.canReceive(&transfer) {
				return routeGone(transfer.Route)
			}
			if err := s.receive(&transfer); err != nil {
				return err
			}
			s.expect(w, &transfer)
		}
		if err := s.enterTransfer(w, &transfer, change.State, reason); err != nil {
			return err
		}
		moved = show(&transfer)
		return s.saveTransfer(w, &transfer)
	})
	return moved, err
}

// typicalReason is the reason of a state that nobody gave one for; ok is false of a state that has none.
func typicalReason(state payments.TransferState) (reason string, ok bool) {
	switch state {
	case payments.TransferStateFailed:
		return reasonDeclined, true
	case payments.TransferStateUndeliverable:
		return reasonRejected, true
	case payments.TransferStateReturned:
		return reasonClosed, true
	}
	return "", false
}

// CreateSandboxDeposit implements payments.SandboxHands. The first step that the deposit allows comes with it, the
// others as planned.
func (s *Service) CreateSandboxDeposit(ctx context.Context, transferID string, deposit payments.SandboxDeposit, key payments.Idempotency) (payments.Written[payments.Transfer], error) {
	return s.writeTransfer(ctx, "createSandboxDeposit", key, func(w *work) (*store.Transfer, error) {
		record, err := get(w.Transfers(), "transfer", transferID)
		if err != nil {
			return nil, err
		}
		if err := s.permit(w, key.Precondition, record.Revision); err != nil {
			return nil, err
		}
		transfer := *record
		if transfer.State != payments.TransferStateAwaitingFunds {
			return nil, payments.Refuse(payments.KindInvalidState, "The transfer %s is %s and takes no deposit.", transfer.ID, transfer.State)
		}
		mismatch, err := s.fund(&transfer, deposit.Amount)
		if err != nil {
			return nil, err
		}
		first := store.TransferStep{State: payments.TransferStateFundsReceived}
		switch {
		case mismatch != "":
			first, transfer.Plan = store.TransferStep{State: payments.TransferStateFailed, Reason: mismatch}, nil
		case len(transfer.Plan) > 0:
			first, transfer.Plan = transfer.Plan[0], transfer.Plan[1:]
		}
		if mismatch == "" {
			s.expect(w, &transfer)
		}
		if err := s.enterTransfer(w, &transfer, first.State, first.Reason); err != nil {
			return nil, err
		}
		return &transfer, nil
	})
}

// expect says anew when a transfer is expected to settle. It counts from the arrival of the funds, which a hand, or a read
// that is waited for, can bring days after the transfer was made.
func (s *Service) expect(w *work, t *store.Transfer) {
	route, known := s.catalogue.Route(t.Route)
	if !known {
		return
	}
	funded, expected := *t.Transfer, w.settles(route)
	funded.ExpectedSettlementAt = &expected
	t.Transfer = &funded
}

// routeGone refuses what would need the price of a route that the catalogue does not have.
func routeGone(route string) *payments.Refusal {
	return payments.Refuse(payments.KindConflict, "The catalogue has no route %s any more.", route)
}

// fund takes in a deposit, which settles the amount of a flexible transfer. Mismatch is the reason why the transfer
// fails with it; empty when it does not.
func (s *Service) fund(t *store.Transfer, amount payments.Decimal) (mismatch string, err error) {
	route, known := s.catalogue.Route(t.Route)
	switch {
	case amount.Zero():
		return "", payments.Invalid(payments.FieldErrors{"amount": {"The amount field must be more than zero."}})
	case known && amount.Places() > route.Source.Decimals:
		return "", payments.Invalid(tooFine())
	}
	t.Deposit = &amount
	switch {
	case !t.Flexible:
		if t.Source.Amount == nil || !amount.Equal(*t.Source.Amount) {
			mismatch = ReasonFundingMismatch
		}
		return mismatch, nil
	case !known:
		return ReasonRouteUnavailable, nil
	}
	err = reprice(t, route, amount)
	if payments.IsKind(err, payments.KindLimitExceeded) {
		return ReasonFundingOutOfBounds, nil
	}
	return "", err
}
