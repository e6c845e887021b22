package store

import (
	"strings"
	"time"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
)

// An Account is an account with its identity check.
type Account struct {
	payments.Account
	KYC payments.KYC
	// Revision counts the changes of the identity check.
	Revision int
	// Plan holds the coming transitions of the identity check that need no request. The first is due at StepAt, or waits
	// for reads if StepAt is zero.
	Plan   []KYCStep
	StepAt time.Time `json:",omitzero"`
	// Polled counts the reads of the identity check in its current state, if the next step waits for reads.
	Polled int
	// Edits counts the changes of the account by requests.
	Edits int `json:",omitzero"`
}

// A KYCStep is a planned transition of an identity check.
type KYCStep struct {
	After  time.Duration // since the previous transition
	Status payments.KYCStatus
	// Polls is how many reads the step waits for. Zero means it waits for a time.
	Polls int
}

// DocumentID implements Document.
func (a *Account) DocumentID() string { return a.ID }

// Created is when the account was created.
func (a *Account) Created() time.Time { return a.CreatedAt }

// Indexed implements Document.
func (a *Account) Indexed(column string) string {
	switch column {
	case ColumnKYCStatus:
		return string(a.KYCStatus)
	case ColumnEmail:
		return strings.ToLower(a.Email)
	case ColumnExternalID:
		return a.ExternalID
	}
	return ""
}

// DueAt implements Document.
func (a *Account) DueAt() time.Time { return a.StepAt }

// A Contact is a saved contact with its coordinates unmasked.
type Contact struct {
	payments.NewSavedContact
	ID string
	At time.Time
	// Edits counts the changes of the contact by requests.
	Edits int `json:",omitzero"`
}

// DocumentID implements Document.
func (c *Contact) DocumentID() string { return c.ID }

// Created is when the contact was saved.
func (c *Contact) Created() time.Time { return c.At }

// Indexed implements Document.
func (c *Contact) Indexed(column string) string {
	switch column {
	case ColumnAccount:
		return c.AccountID
	case ColumnExternalID:
		return c.ExternalID
	case ColumnLabel:
		return c.Label
	}
	return ""
}

// DueAt implements Document.
func (*Contact) DueAt() time.Time { return time.Time{} }

// A Transfer is a transfer in one of its states, with its planned transitions.
type Transfer struct {
	// Transfer is the transfer at its creation, with its amounts once they are known. The records of all states share it,
	// so it must not be changed. The fields below replace its fields that do change. It has no deposit instructions, since
	// they follow from the rest.
	*payments.Transfer
	State               payments.TransferState        `json:"state"`
	FailureReason       *string                       `json:"failureReason"`
	ReturnCode          *string                       `json:"returnCode"`
	Refund              *payments.Refund              `json:"refund"`
	OnchainTransactions []payments.OnchainTransaction `json:"onchainTransactions"`
	UpdatedAt           time.Time                     `json:"updatedAt"`
	// Revision counts the changes of the transfer.
	Revision int
	// Plan holds the coming transitions that need no request. The first is due at StepAt, or waits for reads if StepAt is
	// zero.
	Plan   []TransferStep
	StepAt time.Time `json:",omitzero"`
	// Polled counts the reads of the transfer in its current state, if the next step waits for reads.
	Polled int
	// Deposit is the amount that an override deposited or that arrived for a review, in the source currency. nil means
	// none, or the amount that the state implies.
	Deposit *money.Decimal
}

// A TransferStep is a planned transition of a transfer.
type TransferStep struct {
	After time.Duration // since the previous transition
	State payments.TransferState
	// Reason is the failure reason or the return code of the state.
	Reason string
	// Polls is how many reads the step waits for. Zero means it waits for a time.
	Polls int
	// ByDeposit makes the step wait for a deposit. The transfer then expires after After.
	ByDeposit bool
}

// Whole returns the transfer with the fields of its current state.
func (t *Transfer) Whole() payments.Transfer {
	whole := *t.Transfer
	whole.State, whole.UpdatedAt, whole.OnchainTransactions = t.State, t.UpdatedAt, t.OnchainTransactions
	whole.FailureReason, whole.ReturnCode, whole.Refund = t.FailureReason, t.ReturnCode, t.Refund
	return whole
}

// DocumentID implements Document.
func (t *Transfer) DocumentID() string { return t.ID }

// Created is when the transfer was created.
func (t *Transfer) Created() time.Time { return t.CreatedAt }

// Indexed implements Document.
func (t *Transfer) Indexed(column string) string {
	switch column {
	case ColumnAccount:
		return t.AccountID
	case ColumnState:
		return string(t.State)
	case ColumnReference:
		return t.Reference
	case ColumnExternalID:
		return t.ExternalID
	case ColumnBatch:
		return t.BatchID
	}
	return ""
}

// DueAt implements Document.
func (t *Transfer) DueAt() time.Time { return t.StepAt }

// A Key is an idempotency key with the response to the request that used it first.
type Key struct {
	ID          string // operation and key
	Fingerprint string
	// Response is the body of that response, in JSON.
	Response []byte
	// ETag is the entity tag in that response, if it had one.
	ETag string `json:",omitzero"`
	// Existing reports that the request created nothing, because the resource existed before.
	Existing bool `json:",omitzero"`
	At       time.Time
	// ExpiresAt is when the key is deleted.
	ExpiresAt time.Time
}

// DocumentID implements Document.
func (k *Key) DocumentID() string { return k.ID }

// Indexed implements Document.
func (*Key) Indexed(string) string { return "" }

// DueAt implements Document.
func (k *Key) DueAt() time.Time { return k.ExpiresAt }

// A Client is an API client of the service.
type Client struct {
	ID         string
	SecretHash []byte // SHA-256
	At         time.Time
}

// DocumentID implements Document.
func (c *Client) DocumentID() string { return c.ID }

// Indexed implements Document.
func (*Client) Indexed(string) string { return "" }

// DueAt implements Document.
func (*Client) DueAt() time.Time { return time.Time{} }

// A Token is an access token. Only its hash is stored.
type Token struct {
	Hash      string // SHA-256 of the token, in hexadecimal
	ClientID  string
	Scopes    []string
	IssuedAt  time.Time
	ExpiresAt time.Time
	Instance  string // the instance of the world whose clock gave these times
	// KeptUntil is when the record is deleted, by the machine's clock.
	KeptUntil time.Time
}

// DocumentID implements Document.
func (t *Token) DocumentID() string { return t.Hash }

// Indexed implements Document.
func (*Token) Indexed(string) string { return "" }

// DueAt implements Document.
func (t *Token) DueAt() time.Time { return t.KeptUntil }
