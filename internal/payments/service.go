// Package payments has the types of the contract: routes, accounts, identity checks, saved contacts, transfers and
// problems. They are generated from the OpenAPI document.
package payments

import (
	"context"
)

// Service is the payments API for commands. outbox.Outbox implements it. If the service answers with a problem, the
// error is a *ProblemError.
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

// Reads are the calls that change nothing. client.Client implements them.
type Reads interface {
	Lists
	SelectRoutes(context.Context, RouteSelection) (TransferInfo, error)
	GetAccount(ctx context.Context, accountID string) (ReadResult[Account], error)
	GetKYCStatus(ctx context.Context, accountID string) (ReadResult[KYC], error)
	GetSavedContact(ctx context.Context, savedContactID string) (ReadResult[SavedContact], error)
	GetTransfer(ctx context.Context, transferID string) (ReadResult[Transfer], error)
}

// Lists are the calls that are the same for commands and for the server, whose rules are in service.Service.
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
	// Key is the Idempotency-Key header's value, or "".
	Key string
	// Match is the entity tag that the resource must have before the write (RFC 9110 section 13.1.1). Empty means any.
	Match string
	// Shared reports that the external id of a creation may not be unique, so it is not a name.
	Shared bool
}

// WriteResult is the result of a write.
type WriteResult[T any] struct {
	Value T
	// Replayed reports that this call had no effect: the response repeats the first one to the key, or the value
	// existed.
	Replayed bool
}

// ReadResult is a resource with its entity tag.
type ReadResult[T any] struct {
	Value T
	ETag  string
}

// LargestPage is the most rows or events in one response. DefaultPage is the number if the request does not say.
const (
	LargestPage = 100
	DefaultPage = 20
)

type epochKey struct{}

// WithEpoch returns a context for a request to the reference service. The service sets epoch to the instance id of the
// world that it used last. Each reset and restore gives a world a new one.
func WithEpoch(ctx context.Context, epoch *string) context.Context {
	return context.WithValue(ctx, epochKey{}, epoch)
}

// NoteEpoch sets the epoch of a context, if it has one.
func NoteEpoch(ctx context.Context, instance string) {
	if epoch, ok := ctx.Value(epochKey{}).(*string); ok {
		*epoch = instance
	}
}

type withoutRetry struct{}

// WithoutRateLimitRetry returns a context for a caller that paces its requests itself. A call with it returns a 429 at
// once, and is not sent again.
func WithoutRateLimitRetry(ctx context.Context) context.Context {
	return context.WithValue(ctx, withoutRetry{}, true)
}

// RetriesRateLimit reports whether a call in a context is sent again after a 429.
func RetriesRateLimit(ctx context.Context) bool { return ctx.Value(withoutRetry{}) == nil }

// A Response is a complete HTTP response.
type Response struct {
	// Method and Path are the request's. The path is escaped as sent.
	Method, Path string
	Status       int
	Header       map[string][]string // by canonical name
	Body         []byte              // decompressed; a check may set it for HEAD
}

// A ListEnd is what a page without a cursor says about the rest of its list.
type ListEnd uint8

// What a page says.
const (
	ListMayGoOn ListEnd = iota // nothing
	ListEnds                   // that no row follows
	ListIsCut                  // that rows follow, but not how to read them
)
