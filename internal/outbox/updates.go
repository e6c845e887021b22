package outbox

import (
	"context"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// UpdateAccount implements payments.Accounts. An update whose outcome is unknown cannot be looked up: the journal keeps no
// personal data to compare. With the entity tag that was read as a precondition, another one cannot overwrite anything.
func (o *Outbox) UpdateAccount(
	ctx context.Context, accountID string, patch payments.AccountPatch, key payments.Idempotency,
) (payments.WriteResult[payments.Account], error) {
	condition := key.Precondition
	return submitOperation(ctx, o, Write[payments.Account]{
		Intent: journal.Intent{Operation: "updateAccount", Key: key.Key},
		Send: func(ctx context.Context, key payments.Idempotency) (payments.WriteResult[payments.Account], error) {
			key.Precondition = condition
			return o.Client.UpdateAccount(ctx, accountID, patch, key)
		},
		Read:     o.readAccount,
		Identify: identifyAccount,
	}, patch, accountID)
}

// UpdateSavedContact implements payments.SavedContacts as UpdateAccount does.
func (o *Outbox) UpdateSavedContact(
	ctx context.Context, savedContactID string, patch payments.SavedContactPatch, key payments.Idempotency,
) (payments.WriteResult[payments.SavedContact], error) {
	condition := key.Precondition
	return submitOperation(ctx, o, Write[payments.SavedContact]{
		Intent: journal.Intent{Operation: "updateSavedContact", Key: key.Key},
		Send: func(ctx context.Context, key payments.Idempotency) (payments.WriteResult[payments.SavedContact], error) {
			key.Precondition = condition
			return o.Client.UpdateSavedContact(ctx, savedContactID, patch, key)
		},
		Read:     o.readSavedContact,
		Identify: identifyContact,
	}, patch, savedContactID)
}

// readAccount reads an account unconditionally.
func (o *Outbox) readAccount(ctx context.Context, accountID string) (payments.Account, error) {
	result, err := o.GetAccount(ctx, accountID, payments.ReadOptions{})
	return result.Value, err
}

// readSavedContact reads a saved contact unconditionally.
func (o *Outbox) readSavedContact(ctx context.Context, savedContactID string) (payments.SavedContact, error) {
	result, err := o.GetSavedContact(ctx, savedContactID, payments.ReadOptions{})
	return result.Value, err
}
