package outbox

import (
	"context"
	"fmt"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

// CreateAccount implements payments.Service. The account is found by its external id.
func (o *Outbox) CreateAccount(
	ctx context.Context, account payments.NewAccount, key payments.Idempotency,
) (payments.WriteResult[payments.Account], error) {
	return submitValue[payments.Account](ctx, o, newWrite(contract.CreateAccount.ID, key, encode(account)))
}

// ImportedAccount describes the write of a row that creates an account. An existing account with its external id and
// content counts as its effect.
func ImportedAccount(account payments.NewAccount) *Write {
	return newWrite(contract.CreateAccount.ID, payments.Idempotency{}, encode(account))
}

// UpdateAccount implements payments.Service. The entity tag of the read is the precondition. So a repeated update
// cannot overwrite somebody else's change.
func (o *Outbox) UpdateAccount(
	ctx context.Context, accountID string, patch payments.AccountPatch, key payments.Idempotency,
) (payments.WriteResult[payments.Account], error) {
	return submitValue[payments.Account](ctx, o, newWrite(contract.UpdateAccount.ID, key, encode(patch), accountID))
}

// CreateSavedContact implements payments.Service. The contact is found by its external id.
func (o *Outbox) CreateSavedContact(
	ctx context.Context, contact payments.NewSavedContact, key payments.Idempotency,
) (payments.WriteResult[payments.SavedContact], error) {
	return submitValue[payments.SavedContact](ctx, o, newContact(contact, key))
}

// ImportedContact is ImportedAccount for saved contacts.
func ImportedContact(contact payments.NewSavedContact) *Write {
	return newContact(contact, payments.Idempotency{})
}

// newContact describes a write that expects coordinates in the form that the service shows.
func newContact(contact payments.NewSavedContact, key payments.Idempotency) *Write {
	w := newWrite(contract.CreateSavedContact.ID, key, encode(contact))
	if normal, faults := contact.Check(); len(faults) == 0 { // otherwise the service decides
		w.Expect.Body = encode(normal)
	}
	return w
}

// UpdateSavedContact implements payments.Service as UpdateAccount does.
func (o *Outbox) UpdateSavedContact(
	ctx context.Context, savedContactID string, patch payments.SavedContactPatch, key payments.Idempotency,
) (payments.WriteResult[payments.SavedContact], error) {
	w := newWrite(contract.UpdateSavedContact.ID, key, encode(patch), savedContactID)
	return submitValue[payments.SavedContact](ctx, o, w)
}

// SubmitKYC implements payments.Service. A submission cannot be looked up: the service does not show its content.
func (o *Outbox) SubmitKYC(
	ctx context.Context, accountID string, submission payments.KYCSubmission, key payments.Idempotency,
) (payments.WriteResult[payments.KYC], error) {
	return submitValue[payments.KYC](ctx, o, newWrite(contract.SubmitKYC.ID, key, encode(submission), accountID))
}

// DeleteSavedContact deletes a contact. Only 204 proves that. After any other answer the contact is read. It is not
// recorded, because deleting twice is harmless.
func (o *Outbox) DeleteSavedContact(ctx context.Context, savedContactID string) error {
	const noContent = 204
	status, err := o.Client.DeleteSavedContact(ctx, savedContactID)
	if err != nil || status == noContent || o.DryRun {
		return err
	}
	_, err = o.Read(ctx, &contract.GetSavedContact, savedContactID)
	if isGone(err) {
		return nil
	}
	problem := payments.NewLocalProblem(payments.ProblemOutcomeUnknown, err,
		"It is not known whether the contact was deleted.",
		"The deletion of %s was answered with status %d, and the service still shows the contact.", savedContactID, status)
	if err != nil {
		problem.Detail = fmt.Sprintf("The deletion of %s was answered with status %d, and the contact cannot be read: %s",
			savedContactID, status, payments.Sentence(err.Error()))
	}
	problem.Next = []shell.Hint{shell.Note("run the same line again")}
	return problem
}
