package store

import (
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// Columns that lists filter by.
const (
	ColumnAccount    = "accountId"
	ColumnKYCStatus  = "kycStatus"
	ColumnEmail      = "email" // in lower case
	ColumnExternalID = "externalId"
	ColumnState      = "state"
	ColumnReference  = "reference"
	ColumnBatch      = "batchId"
)

// AccountColumns, ContactColumns and TransferColumns list the columns of each kind, the one that leaves the fewest records
// first.
var (
	AccountColumns  = []string{ColumnExternalID, ColumnEmail, ColumnKYCStatus}
	ContactColumns  = []string{ColumnAccount}
	TransferColumns = []string{ColumnReference, ColumnExternalID, ColumnBatch, ColumnAccount, ColumnState}
)

// An Account is an account with its identity check.
type Account struct {
	payments.Account
	KYC payments.KYC
	// Revision counts the changes of the identity check.
	Revision int
	// Plan holds the transitions of the identity check that are still to come by themselves.
	Plan []KYCStep
	// Polled counts the reads of the identity check in its present state, where the next step waits for them.
	Polled int
}

// A KYCStep is a transition of an identity check that is to come.
type KYCStep struct {
	After  time.Duration // since the transition before
	Status payments.KYCStatus
	// Polls is how many reads the step waits for; zero: it comes by time.
	Polls int
}

// RecordID implements Record.
func (a *Account) RecordID() string { return a.ID }

// Created implements Record.
func (a *Account) Created() time.Time { return a.CreatedAt }

// Indexed implements Record.
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

// A Contact is a saved contact with its coordinates unmasked.
type Contact struct {
	payments.NewSavedContact
	ID string
	At time.Time
}

// RecordID implements Record.
func (c *Contact) RecordID() string { return c.ID }

// Created implements Record.
func (c *Contact) Created() time.Time { return c.At }

// Indexed implements Record.
func (c *Contact) Indexed(column string) string {
	if column == ColumnAccount {
		return c.AccountID
	}
	return ""
}

// A Transfer is a transfer in one of its states, with what is still to happen to it.
type Transfer struct {
	// What was agreed when the transfer was made, and its amounts since they are known. All states share it, so that it is
	// never written to. Its fields that change are those that follow here. It has no deposit instructions: they follow from
	// the rest.
	*payments.Transfer
	State               payments.TransferState        `json:"state"`
	FailureReason       *string                       `json:"failureReason"`
	ReturnCode          *string                       `json:"returnCode"`
	Refund              *payments.Refund              `json:"refund"`
	OnchainTransactions []payments.OnchainTransaction `json:"onchainTransactions"`
	UpdatedAt           time.Time                     `json:"updatedAt"`
	// Revision counts the changes of the transfer.
	Revision int
	// Plan holds the transitions that are still to come by themselves.
	Plan []TransferStep
	// Polled counts the reads of the transfer in its present state, where the next step waits for them.
	Polled int
	// Deposit is the amount that was deposited by hand or arrived for a review, in the source currency; nil when none was
	// or the state alone says that it came.
	Deposit *payments.Decimal
}

// A TransferStep is a transition of a transfer that is to come.
type TransferStep struct {
	After time.Duration // since the transition before
	State payments.TransferState
	// Reason is the failure reason or the return code that comes with the state.
	Reason string
	// Polls is how many reads the step waits for; zero: it comes by time.
	Polls int
	// ByDeposit says that the step waits for a deposit; After is then how long before the transfer expires.
	ByDeposit bool
}

// Whole is the transfer with its state.
func (t *Transfer) Whole() payments.Transfer {
	whole := *t.Transfer
	whole.State, whole.UpdatedAt, whole.OnchainTransactions = t.State, t.UpdatedAt, t.OnchainTransactions
	whole.FailureReason, whole.ReturnCode, whole.Refund = t.FailureReason, t.ReturnCode, t.Refund
	return whole
}

// EventData implements Teller.
func (t *Transfer) EventData() payments.EventData {
	source, destination := t.Source, t.Destination
	data := payments.EventData{
		AccountID: t.AccountID, ExternalID: t.ExternalID, Reference: t.Reference, BatchID: t.BatchID, Route: t.Route,
		Source: &source, Destination: &destination, Refund: t.Refund,
	}
	if t.FailureReason != nil {
		data.FailureReason = *t.FailureReason
	}
	if t.ReturnCode != nil {
		data.ReturnCode = *t.ReturnCode
	}
	return data
}

// RecordID implements Record.
func (t *Transfer) RecordID() string { return t.ID }

// Created implements Record.
func (t *Transfer) Created() time.Time { return t.CreatedAt }

// Indexed implements Record.
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

// A Key is an idempotency key with the answer to the request that used it.
type Key struct {
	ID          string // operation and key
	Fingerprint payments.Fingerprint
	Answer      Answer
	At          time.Time
}

// RecordID implements Record.
func (k *Key) RecordID() string { return k.ID }

// Created implements Record.
func (k *Key) Created() time.Time { return k.At }

// Indexed implements Record.
func (*Key) Indexed(string) string { return "" }

// A Client may use the service.
type Client struct {
	ID         string
	SecretHash []byte // SHA-256
	At         time.Time
}

// RecordID implements Record.
func (c *Client) RecordID() string { return c.ID }

// Created implements Record.
func (c *Client) Created() time.Time { return c.At }

// Indexed implements Record.
func (*Client) Indexed(string) string { return "" }

// A Token is an access token, of which only the hash is kept.
type Token struct {
	Hash      string // SHA-256 of the token, in hexadecimal
	ClientID  string
	Scopes    []string
	IssuedAt  time.Time
	ExpiresAt time.Time
	Instance  string // the life of the client's world by whose clock these times are
}

// RecordID implements Record.
func (t *Token) RecordID() string { return t.Hash }

// Created implements Record.
func (t *Token) Created() time.Time { return t.IssuedAt }

// Indexed implements Record.
func (*Token) Indexed(string) string { return "" }

// A JobKind is what a job does.
type JobKind string

// The kinds of job.
const (
	JobKYC         JobKind = "kyc"          // the next step of an account's identity check
	JobTransfer    JobKind = "transfer"     // the next step of a transfer
	JobExpireKey   JobKind = "expire-key"   // forgets an idempotency key
	JobExpireToken JobKind = "expire-token" // forgets an access token
)

// A Job is something that happens at a moment.
type Job struct {
	At      time.Time
	Kind    JobKind
	Subject string // identifier of the record that it is about
	// Revision is the revision of the subject for which the job was made: a subject that has changed since is left alone.
	Revision int
}
