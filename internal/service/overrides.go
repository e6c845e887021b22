package service

import (
	"context"
	"fmt"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// Why a deposit fails its transfer. A route is unavailable if the catalogue no longer has it.
const (
	ReasonFundingMismatch    = "funding_amount_mismatch"
	ReasonFundingOutOfBounds = "funding_amount_out_of_bounds"
	ReasonRouteUnavailable   = "route_unavailable"
)

// usualTransferReasons are the reasons of states if an override has none. Other states have no reason.
var usualTransferReasons = map[payments.TransferState]string{
	payments.TransferStateFailed:        "provider_declined",
	payments.TransferStateUndeliverable: "beneficiary_rejected",
	payments.TransferStateReturned:      "account_closed",
}

// TakesReason reports whether a state has a reason.
func TakesReason(state payments.TransferState) bool {
	_, takes := usualTransferReasons[state]
	return takes
}

// SetSandboxKYC implements payments.Sandbox. It drops the plan of the identity check.
func (s *Service) SetSandboxKYC(
	ctx context.Context, accountID string, change payments.SandboxKYC,
) (kyc payments.KYC, err error) {
	err = s.update(ctx, func(w *work) error {
		record, err := get(w.Accounts(), "account", accountID)
		if err == nil {
			err = w.require(s.entityTag(w, record.Revision))
		}
		if err != nil {
			return err
		}
		account := *record
		if !account.KYC.Status.CanBecome(change.Status) {
			return payments.NewProblem(payments.ProblemInvalidState,
				"The identity check of account %s is %s, which cannot become %s.",
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
		s.enterKYCStatus(w, &account, change.Status, reasons)
		planExpiry(&account)
		kyc = account.KYC
		return s.saveKYC(w, record, &account)
	})
	return kyc, err
}

// SetSandboxTransferState implements payments.Sandbox. It drops the plan of the transfer.
func (s *Service) SetSandboxTransferState(
	ctx context.Context, transferID string, change payments.SandboxTransferState,
) (response payments.Transfer, err error) {
	switch {
	case change.Reason == "":
		change.Reason = usualTransferReasons[change.State]
	case !TakesReason(change.State):
		return response, payments.NewValidationProblem(payments.FieldErrors{
			"reason": {fmt.Sprintf("The reason field does not go with the state %s.", change.State)},
		})
	}
	err = s.update(ctx, func(w *work) error {
		response, err = s.changeTransfer(w, transferID, func(t *store.Transfer) error {
			if !t.State.CanBecome(change.State) {
				return payments.NewProblem(payments.ProblemInvalidState,
					"The transfer %s is %s, which cannot become %s.", t.ID, t.State, change.State)
			}
			t.Plan = nil
			if change.State == payments.TransferStateFundsReceived {
				if err := s.receive(t); err != nil {
					return err
				}
				s.renewSettlement(w, t)
			}
			return s.moveTransfer(w, t, change.State, change.Reason)
		})
		return err
	})
	return response, err
}

// CreateSandboxDeposit implements payments.Sandbox. It takes the first planned step at once. The others follow as
// planned.
func (s *Service) CreateSandboxDeposit(
	ctx context.Context, transferID string, deposit payments.SandboxDeposit, key WriteKey,
) (Written[payments.Transfer], error) {
	return applyOnce(ctx, s, "createSandboxDeposit", key, func(w *work) (payments.Transfer, error) {
		return s.changeTransfer(w, transferID, func(t *store.Transfer) error {
			if t.State != payments.TransferStateAwaitingFunds {
				return payments.NewProblem(payments.ProblemInvalidState,
					"The transfer %s is %s and takes no deposit.", t.ID, t.State)
			}
			mismatch, err := s.deposit(t, deposit.Amount)
			if err != nil {
				return err
			}
			if mismatch != "" {
				t.Plan = nil
				return s.moveTransfer(w, t, payments.TransferStateFailed, mismatch)
			}
			s.renewSettlement(w, t)
			step := store.TransferStep{State: payments.TransferStateFundsReceived}
			if len(t.Plan) > 0 {
				step, t.Plan = t.Plan[0], t.Plan[1:]
			}
			return s.moveTransfer(w, t, step.State, step.Reason)
		})
	})
}

// deposit makes a deposit for a transfer. It becomes the amount of a flexible transfer. A mismatch is the reason why
// the transfer fails, or "".
func (s *Service) deposit(t *store.Transfer, amount money.Decimal) (mismatch string, err error) {
	route, known := s.catalogue.Route(t.Route)
	switch {
	case amount.Zero():
		return "", payments.NewValidationProblem(payments.FieldErrors{"amount": {"The amount field must be more than zero."}})
	case known && amount.Places() > route.Source.Decimals:
		return "", payments.NewValidationProblem(tooManyDecimals())
	case known:
		amount = amount.Written(route.Source.Decimals)
	}
	t.Deposit = &amount
	switch {
	case !t.Flexible && (t.Source.Amount == nil || !amount.Equal(*t.Source.Amount)):
		return ReasonFundingMismatch, nil
	case !t.Flexible:
		return "", nil
	case !known:
		return ReasonRouteUnavailable, nil
	}
	err = reprice(t, route, amount)
	if payments.IsProblem(err, payments.ProblemLimitExceeded) {
		return ReasonFundingOutOfBounds, nil
	}
	return "", err
}
