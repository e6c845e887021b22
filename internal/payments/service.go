// Package payments is the vocabulary of the contract: routes, accounts, identity checks, saved contacts, transfers and problems.
// Its types are generated from the OpenAPI document.
package payments

import "context"

// Service is the payments API as commands use it: outbox.Outbox. When the service answers with a problem, a method's error is
// a *ProblemError.
type Service interface {
	Reads
	CreateAccount(context.Context, NewAccount, Idempotency) (WriteResult[Account], error)
	UpdateAccount(ctx context.Context, accountID string, patch AccountPatch, key Idempotency) (WriteResult[Account], error)
	SubmitKYC(ctx context.Context, accountID string, submission KYCSubmission, key Idempotency) (WriteResult[KYC], error)
	CreateSavedContact(context.Context, NewSavedContact, Idempotency) (WriteResult[SavedContact], error)
	UpdateSavedContact(
		ctx context.Context, savedContactID string, patch SavedContactPatch, key Idempotency,
	) (WriteResult[SavedContact], error)
	DeleteSavedContact(ctx context.Context, savedContactID string) error
	CreateAutoTransfer(context.Context, NewAutoTransfer, Idempotency) (WriteResult[Transfer], error)
	CancelTransfer(ctx context.Context, transferID string, key Idempotency) (WriteResult[Transfer], error)
}

// Reads are the calls of the API that change nothing: client.Client makes them over HTTP.
type Reads interface {
	Lists
	SelectRoutes(context.Context, RouteSelection) (TransferInfo, error)
	GetAccount(ctx context.Context, accountID string) (ReadResult[Account], error)
	GetKYCStatus(ctx context.Context, accountID string) (ReadResult[KYC], error)
	GetSavedContact(ctx context.Context, savedContactID string) (ReadResult[SavedContact], error)
	GetTransfer(ctx context.Context, transferID string) (ReadResult[Transfer], error)
}

// Lists are the calls that are the same on both sides of the wire: for commands, and for the server, whose rules are in
// service.Service.
type Lists interface {
	Events
	ListAccounts(context.Context, AccountFilter) (AccountPage, error)
	ListSavedContacts(context.Context, SavedContactFilter) (SavedContactPage, error)
	ListTransfers(context.Context, TransferFilter) (TransferPage, error)
}

// Tokens are the access tokens of one client.
type Tokens interface {
	CreateAccessToken(ctx context.Context, clientID, clientSecret string, request AccessTokenRequest) (AccessToken, error)
	DescribeAccessToken(ctx context.Context, token string) (AccessTokenDescription, error)
	RevokeAccessToken(ctx context.Context, token string) error
}

// Idempotency makes a write repeatable: the same key with the same body returns the first response again.
type Idempotency struct {
	// Key is the Idempotency-Key header's value; empty if there is none.
	Key string
	// Match is an entity tag that must name the state before the write (RFC 9110 section 13.1.1); empty if any state will do.
	Match string
	// Shared reports that others may have the external id of a creation, so that it names none of them.
	Shared bool
}

// WriteResult is the outcome of a write.
type WriteResult[T any] struct {
	Value T
	// Replayed reports that this call had no effect: the response is the first one to the key, sent again, or the value
	// existed before.
	Replayed bool
}

// ReadResult is a resource with its entity tag.
type ReadResult[T any] struct {
	Value T
	ETag  string
}

// LargestPage is the largest number of rows, or events, in one response. DefaultPage is how many one has that asks for none.
const (
	LargestPage = 100
	DefaultPage = 20
)
