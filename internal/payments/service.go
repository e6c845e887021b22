// Package payments is the domain: money, routes, accounts, identity checks, saved contacts, transfers and problems.
// Its types are generated from the OpenAPI document; its Service interface has two implementations, the HTTP client
// and the reference service, each on its side of the wire.
package payments

import (
	"context"
	"time"
)

// Service is the payments API. When the service answers with a problem, a method's error is a *ProblemError.
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

// Reads are the calls of the API that change nothing.
type Reads interface {
	Events
	SelectRoutes(context.Context, RouteSelection) (TransferInfo, error)
	GetAccount(ctx context.Context, accountID string, since ReadOptions) (ReadResult[Account], error)
	ListAccounts(context.Context, AccountFilter) (AccountPage, error)
	GetKYCStatus(ctx context.Context, accountID string, since ReadOptions) (ReadResult[KYC], error)
	GetSavedContact(ctx context.Context, savedContactID string, since ReadOptions) (ReadResult[SavedContact], error)
	ListSavedContacts(context.Context, SavedContactFilter) (SavedContactPage, error)
	GetTransfer(ctx context.Context, transferID string, since ReadOptions) (ReadResult[Transfer], error)
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
	// Key is the Idempotency-Key header's value; empty when there is none.
	Key string
	// Fingerprint identifies the request's content, as FingerprintOf does. The server sets it.
	Fingerprint string
	// Precondition must hold before the write. It is not checked again when a response is replayed.
	Precondition Precondition
}

// WriteResult is the outcome of a write.
type WriteResult[T any] struct {
	Value T
	// Encoded is the value as Encode writes it, where the service has done so already; else empty.
	Encoded []byte
	// Replayed reports that this call had no effect: the response is the first one to the key, sent again, or the value
	// existed before.
	Replayed bool
	// Existing reports, on the service's side, that the value existed before the first request with the key: a creation
	// found it by a member that is unique.
	Existing bool
}

// ReadOptions makes a read conditional. The zero ReadOptions asks unconditionally.
type ReadOptions struct {
	// ETag is the entity tag of the known state (RFC 9110 section 8.8.3).
	ETag string
	// Wait is how long the service may hold the response until the resource changes (RFC 7240 section 4.3), truncated
	// to seconds.
	Wait time.Duration
}

// ReadResult is the outcome of a conditional read.
type ReadResult[T any] struct {
	// Value is the resource; the zero value when NotModified.
	Value T
	ETag  string
	// NotModified reports that the resource is still in the state that ReadOptions named.
	NotModified bool
}

// LargestPage is the largest number of rows, or events, in one response.
const LargestPage = 100
