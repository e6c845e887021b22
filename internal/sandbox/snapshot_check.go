package sandbox

import (
	"errors"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
)

// check returns why no world can hold the content of a snapshot, as words that follow "the world"; nil: one can. A
// world can hold transfers on routes that the catalogue does not have: it may have been another one when they were
// made.
func (c snapshotContent) check() error {
	for _, a := range c.Accounts {
		if a == nil || !service.IsAccountID(a.ID) || !a.Type.Valid() || a.KYC.AccountID != a.ID ||
			a.KYC.Status != a.KYCStatus || !canFollowKYCPlan(a) {
			return errors.New("has an account that cannot be")
		}
	}
	for _, contact := range c.Contacts {
		if contact == nil || !service.IsContactID(contact.ID) || !service.IsAccountID(contact.AccountID) {
			return errors.New("has a contact that cannot be")
		}
	}
	for _, t := range c.Transfers {
		if t == nil || t.Transfer == nil || !service.IsTransferID(t.ID) || !t.FlowType.Valid() || !t.AmountType.Valid() ||
			t.CheckInvariants() != nil || !hasAmount(t) || !canFollowTransferPlan(t) {
			return errors.New("has a transfer that cannot be")
		}
	}
	for _, key := range c.Keys {
		if key == nil || key.ID == "" {
			return errors.New("has an idempotency key that cannot be")
		}
	}
	for _, job := range c.Jobs {
		switch job.Kind {
		case store.JobKYC, store.JobTransfer, store.JobExpireKey:
		default:
			return errors.New("has a job that this service does not know")
		}
	}
	clock := c.Clock
	if !clock.Mode.Valid() || clock.Scale < 0 || clock.Scale > maxScale ||
		clock.Shown.Before(earliest) || clock.Shown.After(latest) || c.Generation < 0 {
		return errors.New("has a clock that cannot be")
	}
	return nil
}

// canFollowKYCPlan reports whether the plan of an identity check is a path through its state machine.
func canFollowKYCPlan(a *store.Account) bool {
	status := a.KYCStatus
	for _, step := range a.Plan {
		if !status.CanBecome(step.Status) {
			return false
		}
		status = step.Status
	}
	return status.Valid()
}

// canFollowTransferPlan reports whether the plan of a transfer is a path through its state machine.
func canFollowTransferPlan(t *store.Transfer) bool {
	state := t.State
	for _, step := range t.Plan {
		if !state.CanBecome(step.State) || step.ByDeposit && state != payments.TransferStateAwaitingFunds {
			return false
		}
		state = step.State
	}
	return state.Valid()
}

// hasAmount reports whether a transfer has an amount if its state needs one.
func hasAmount(t *store.Transfer) bool {
	switch t.State {
	case payments.TransferStateAwaitingFunds, payments.TransferStateInReview, payments.TransferStateCanceled,
		payments.TransferStateExpired, payments.TransferStateFailed:
		return t.Source.Amount != nil || t.Flexible
	}
	return t.Source.Amount != nil
}
