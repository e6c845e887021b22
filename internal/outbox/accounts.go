package outbox

import (
	"context"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// CreateAccount implements payments.Service. The account is found by its external id.
func (o *Outbox) CreateAccount(
	ctx context.Context, account payments.NewAccount, key payments.Idempotency,
) (payments.WriteResult[payments.Account], error) {
	return submitted[payments.Account](ctx, o, newWrite(CreateAccountOperation, key, encode(account)))
}

// ImportedAccount describes the write of a row that creates an account. Its key is made of the external id, so that the
// same row has one account wherever and however often it is sent. An account that exists with the same external id and
// content is its effect.
func ImportedAccount(account payments.NewAccount) *Write {
	return imported(CreateAccountOperation, account.ExternalID, account)
}

// UpdateAccount implements payments.Service. With the entity tag that was read as a precondition, an update that is sent
// again cannot overwrite what somebody else has changed.
func (o *Outbox) UpdateAccount(
	ctx context.Context, accountID string, patch payments.AccountPatch, key payments.Idempotency,
) (payments.WriteResult[payments.Account], error) {
	return submitted[payments.Account](ctx, o, newWrite(UpdateAccountOperation, key, encode(patch), accountID))
}

// CreateSavedContact implements payments.Service. The contact is found by its external id.
func (o *Outbox) CreateSavedContact(
	ctx context.Context, contact payments.NewSavedContact, key payments.Idempotency,
) (payments.WriteResult[payments.SavedContact], error) {
	w := newWrite(CreateContactOperation, key, encode(contact))
	w.expectNormal(contact)
	return submitted[payments.SavedContact](ctx, o, w)
}

// ImportedContact is ImportedAccount for saved contacts.
func ImportedContact(contact payments.NewSavedContact) *Write {
	w := imported(CreateContactOperation, contact.ExternalID, contact)
	w.expectNormal(contact)
	return w
}

// expectNormal lets a write expect coordinates in the form in which the service shows them.
func (w *Write) expectNormal(contact payments.NewSavedContact) {
	normal, faults := contact.Check()
	if len(faults) > 0 {
		return // the service decides about what payctl cannot read
	}
	w.Request.Expect.Body = encode(normal)
}

// UpdateSavedContact implements payments.Service as UpdateAccount does.
func (o *Outbox) UpdateSavedContact(
	ctx context.Context, savedContactID string, patch payments.SavedContactPatch, key payments.Idempotency,
) (payments.WriteResult[payments.SavedContact], error) {
	w := newWrite(UpdateContactOperation, key, encode(patch), savedContactID)
	return submitted[payments.SavedContact](ctx, o, w)
}

// SubmitKYC implements payments.Service. A submission cannot be looked up: the service shows nothing of its content.
func (o *Outbox) SubmitKYC(
	ctx context.Context, accountID string, submission payments.KYCSubmission, key payments.Idempotency,
) (payments.WriteResult[payments.KYC], error) {
	return submitted[payments.KYC](ctx, o, newWrite(SubmitKYCOperation, key, encode(submission), accountID))
}

// imported describes the write of a row that is identified by its external id.
func imported(operation, externalID string, body any) *Write {
	key := payments.Idempotency{Key: journal.ReferenceKey(operation, externalID)}
	w := newWrite(operation, key, encode(body))
	w.Intent.OneExternalID = true // what another write with the external id has created counts as the row's
	return w
}
