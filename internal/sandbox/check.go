package sandbox

import (
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
)

// fault says what in a snapshot no world can hold, as what follows "the world"; empty when there is nothing. A world can hold
// transfers on routes that the catalogue does not have, as it may have been another one when they were made.
func (c content) fault() string {
	for _, a := range c.Accounts {
		if a == nil || !service.IsAccountID(a.ID) || !a.Type.Valid() || a.KYC.AccountID != a.ID || a.KYC.Status != a.KYCStatus || !follows(a.KYCStatus, a.Plan) {
			return "has an account that cannot be"
		}
	}
	for _, contact := range c.Contacts {
		if contact == nil || !service.IsContactID(contact.ID) || !service.IsAccountID(contact.AccountID) {
			return "has a contact that cannot be"
		}
	}
	for _, t := range c.Transfers {
		if t == nil || t.Transfer == nil || !service.IsTransferID(t.ID) || !t.FlowType.Valid() || !t.AmountType.Valid() || t.Breaks() != "" || !moves(t) {
			return "has a transfer that cannot be"
		}
	}
	for _, key := range c.Keys {
		if key == nil || key.ID == "" {
			return "has an idempotency key that cannot be"
		}
	}
	for _, job := range c.Jobs {
		switch job.Kind {
		case store.JobKYC, store.JobTransfer, store.JobExpireKey:
		default:
			return "has a job that this service does not know"
		}
	}
	if !c.Clock.Mode.Valid() || c.Clock.Scale < 0 || c.Clock.Scale > maxScale || c.Clock.Shown.Before(earliest) || c.Clock.Shown.After(latest) || c.Generation < 0 {
		return "has a clock that cannot be"
	}
	return ""
}

// follows says whether a plan is a way through the state machine of identity checks.
func follows(status payments.KYCStatus, plan []store.KYCStep) bool {
	for _, step := range plan {
		if !status.CanBecome(step.Status) {
			return false
		}
		status = step.Status
	}
	return status.Valid()
}

// moves says whether a transfer's plan is a way through the state machine, and its amounts are known where they are
// needed.
func moves(t *store.Transfer) bool {
	state := t.State
	for _, step := range t.Plan {
		if !state.CanBecome(step.State) || step.ByDeposit && state != payments.TransferStateAwaitingFunds {
			return false
		}
		state = step.State
	}
	if !state.Valid() {
		return false
	}
	switch t.State {
	case payments.TransferStateAwaitingFunds, payments.TransferStateInReview, payments.TransferStateCanceled,
		payments.TransferStateExpired, payments.TransferStateFailed:
		return t.Source.Amount != nil || t.Flexible
	}
	return t.Source.Amount != nil
}
