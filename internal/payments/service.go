// Package payments is the domain: money, routes, accounts, identity checks, saved contacts, transfers and problems.
// Its types are generated from the OpenAPI document; its Service interface has two implementations, the HTTP client
// and the reference service, each on its side of the wire.
package payments

import (
	"context"
	"time"
)

// Service is the payments API. Every method's error is a *Refusal when the service refused.
type Service interface {
	Routes
	Accounts
	KYCChecks
	SavedContacts
	Transfers
	Events
}

// Routes is transfer route selection.
type Routes interface {
	SelectRoutes(context.Context, RouteSelection) (TransferInfo, error)
}

// Accounts are the customers on whose behalf money moves.
type Accounts interface {
	CreateAccount(context.Context, NewAccount, Idempotency) (Written[Account], error)
	GetAccount(ctx context.Context, accountID string) (Account, error)
	ListAccounts(context.Context, AccountFilter) (AccountPage, error)
}

// KYCChecks are the identity checks of accounts.
type KYCChecks interface {
	GetKYCStatus(ctx context.Context, accountID string, since Condition) (Reading[KYC], error)
	SubmitKYC(ctx context.Context, accountID string, submission KYCSubmission, key Idempotency) (Written[KYC], error)
}

// SavedContacts are beneficiaries with their payment coordinates.
type SavedContacts interface {
	CreateSavedContact(context.Context, NewSavedContact, Idempotency) (Written[SavedContact], error)
	GetSavedContact(ctx context.Context, savedContactID string) (SavedContact, error)
	ListSavedContacts(context.Context, SavedContactFilter) (SavedContactPage, error)
	DeleteSavedContact(ctx context.Context, savedContactID string) error
}

// Transfers move money to saved contacts.
type Transfers interface {
	CreateAutoTransfer(context.Context, NewAutoTransfer, Idempotency) (Written[Transfer], error)
	GetTransfer(ctx context.Context, transferID string, since Condition) (Reading[Transfer], error)
	ListTransfers(context.Context, TransferFilter) (TransferPage, error)
	CancelTransfer(ctx context.Context, transferID string, key Idempotency) (Written[Transfer], error)
}

// Tokens are the access tokens of one client.
type Tokens interface {
	CreateAccessToken(ctx context.Context, clientID, clientSecret string, request AccessTokenRequest) (AccessToken, error)
	DescribeAccessToken(ctx context.Context, token string) (AccessTokenDescription, error)
	RevokeAccessToken(ctx context.Context, token string) error
}

// Idempotency makes a write repeatable: the same key with the same body gives the first answer again.
type Idempotency struct {
	// Key is the Idempotency-Key header's value; empty when there is none.
	Key string
	// Fingerprint is of the request. The service side fills it.
	Fingerprint Fingerprint
	// Precondition is what must hold for the write to be done. A write that is replayed is not asked again.
	Precondition Precondition
}

// Written is the outcome of a write.
type Written[T any] struct {
	Value T
	// Answer is the value as Encode writes it, where the service has done so already; else empty.
	Answer []byte
	// Replayed says that this is the first answer to the key, sent again: this call had no effect of its own.
	Replayed bool
}

// Condition asks for a resource only if it differs from what is known. The zero Condition asks unconditionally.
type Condition struct {
	// ETag is the entity tag of the known state (RFC 9110 section 8.8.3).
	ETag string
	// Match asks for the resource only in a state that it names, as an If-Match header does (RFC 9110 section 13.1.1).
	Match string
	// Wait is how long the answer may be held until the resource changes (RFC 7240 section 4.3). It is cut to whole
	// seconds.
	Wait time.Duration
}

// Reading is the outcome of a conditional read.
type Reading[T any] struct {
	// Value is the resource; the zero value when NotModified.
	Value T
	ETag  string
	// NotModified says that the resource is still in the state that the Condition named.
	NotModified bool
}

// LargestPage is the most rows, or events, that the service returns at once.
const LargestPage = 100

// PageQuery is what every list takes. The zero value asks for the first page.
type PageQuery struct {
	// Limit is the most rows to return, 1 to LargestPage; zero means 20.
	Limit  int
	Cursor string
	// CreatedAfter keeps only rows created after that moment; zero keeps all.
	CreatedAfter time.Time
}

// AccountFilter selects accounts; empty members do not filter.
type AccountFilter struct {
	PageQuery
	KYCStatus  KYCStatus
	Email      string
	ExternalID string
}

// SavedContactFilter selects saved contacts; empty members do not filter.
type SavedContactFilter struct {
	PageQuery
	AccountID string
}

// TransferFilter selects transfers; empty members do not filter.
type TransferFilter struct {
	PageQuery
	AccountID  string
	State      TransferState
	Reference  string
	ExternalID string
	BatchID    string
}
