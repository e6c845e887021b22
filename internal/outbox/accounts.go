package outbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

// The operations that create accounts and saved contacts, as the journal and the contract name them.
const (
	CreateAccountOperation = "createAccount"
	CreateContactOperation = "createSavedContact"
)

// NewIntent describes a write with a key for the journal. The path and the body are those of the request.
func NewIntent(operation, key, path string, body []byte) journal.Intent {
	intent := journal.Intent{Operation: operation, Key: key}
	if key != "" {
		hash := sha256.Sum256(slices.Concat([]byte(path+"\n"), body))
		intent.BodyHash = hex.EncodeToString(hash[:])
	}
	return intent
}

// submitOperation submits a use of an operation of the contract. The write's Intent has the operation and the key.
func submitOperation[T any](
	ctx context.Context, o *Outbox, w Write[T], body any, params ...string,
) (result payments.WriteResult[T], err error) {
	path, encoded, err := o.Encode(w.Intent.Operation, params, body)
	if err != nil {
		return result, err
	}
	w.Intent.BodyHash = NewIntent(w.Intent.Operation, w.Intent.Key, path, encoded).BodyHash
	if len(params) > 0 {
		w.Intent.Of = params[0]
	}
	return Submit(ctx, o, w)
}

// CreateAccount implements payments.Accounts.
func (o *Outbox) CreateAccount(
	ctx context.Context, account payments.NewAccount, key payments.Idempotency,
) (payments.WriteResult[payments.Account], error) {
	return submitOperation(ctx, o, o.accountWrite(account, key), account)
}

// accountWrite is the write that creates an account. It is found by its external id.
func (o *Outbox) accountWrite(account payments.NewAccount, key payments.Idempotency) Write[payments.Account] {
	write := Write[payments.Account]{
		Intent: journal.Intent{Operation: CreateAccountOperation, Key: key.Key, ExternalID: account.ExternalID},
		Send: func(ctx context.Context, key payments.Idempotency) (payments.WriteResult[payments.Account], error) {
			return o.Client.CreateAccount(ctx, account, key)
		},
		Read:     o.readAccount,
		Identify: identifyAccount,
	}
	if account.ExternalID != "" {
		write.Find = func(ctx context.Context) (payments.Account, bool, error) {
			match, err := payments.FindAccounts(ctx, o.Client, account.ExternalID)
			if err == nil && match.Near != nil {
				next := shell.Hint("payctl accounts get -- ACCOUNT   (if it is another one, use another external id)",
					shell.Values{"ACCOUNT": match.Near.ID})
				err = nearExternalID("account", next, account.ExternalID, match.Near.ExternalID, match.Near.ID)
			}
			return match.First, match.Found, err
		}
		if key.OneExternalID {
			write.Intent.OneExternalID = true
			write.FindDuplicate = func(ctx context.Context) (payments.Account, bool, error) {
				match, err := payments.FindAccounts(ctx, o.Client, account.ExternalID)
				return match.First, match.Found, err
			}
			write.HasExternalID = func(a payments.Account) bool { return a.ExternalID == account.ExternalID }
		}
	}
	return write
}

func identifyAccount(a payments.Account) (subject, state string) { return a.ID, string(a.KYCStatus) }

// CreateSavedContact implements payments.SavedContacts.
func (o *Outbox) CreateSavedContact(
	ctx context.Context, contact payments.NewSavedContact, key payments.Idempotency,
) (payments.WriteResult[payments.SavedContact], error) {
	return submitOperation(ctx, o, o.contactWrite(contact, key), contact)
}

// contactWrite is the write that creates a saved contact. It is found by its external id.
func (o *Outbox) contactWrite(contact payments.NewSavedContact, key payments.Idempotency) Write[payments.SavedContact] {
	write := Write[payments.SavedContact]{
		Intent: journal.Intent{Operation: CreateContactOperation, Key: key.Key, ExternalID: contact.ExternalID},
		Send: func(ctx context.Context, key payments.Idempotency) (payments.WriteResult[payments.SavedContact], error) {
			return o.Client.CreateSavedContact(ctx, contact, key)
		},
		Read:     o.readSavedContact,
		Identify: identifyContact,
	}
	if contact.ExternalID != "" {
		write.Find = func(ctx context.Context) (payments.SavedContact, bool, error) {
			match, err := payments.FindSavedContacts(ctx, o.Client, contact.ExternalID)
			if err == nil && match.Near != nil {
				next := shell.Hint("payctl contacts get -- CONTACT   (if it is another one, use another external id)",
					shell.Values{"CONTACT": match.Near.ID})
				err = nearExternalID("contact", next, contact.ExternalID, match.Near.ExternalID, match.Near.ID)
			}
			return match.First, match.Found, err
		}
	}
	return write
}

func identifyContact(c payments.SavedContact) (subject, state string) { return c.ID, "" }

// SubmitKYC implements payments.KYCChecks.
func (o *Outbox) SubmitKYC(
	ctx context.Context, accountID string, submission payments.KYCSubmission, key payments.Idempotency,
) (payments.WriteResult[payments.KYC], error) {
	return submitOperation(ctx, o, Write[payments.KYC]{
		Intent: journal.Intent{Operation: "submitKyc", Key: key.Key},
		Send: func(ctx context.Context, key payments.Idempotency) (payments.WriteResult[payments.KYC], error) {
			return o.Client.SubmitKYC(ctx, accountID, submission, key)
		},
		Read: func(ctx context.Context, accountID string) (payments.KYC, error) {
			result, err := o.GetKYCStatus(ctx, accountID, payments.ReadOptions{})
			return result.Value, err
		},
		Identify: func(k payments.KYC) (subject, state string) { return accountID, string(k.Status) },
	}, submission, accountID)
}
