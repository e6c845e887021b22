// Package outbox decides whether a write may be sent, and what became of it. Every command that changes something at the
// service goes through it: transfers, single and from files (package batch), cancellations, accounts, contacts, identity
// checks and calls of `payctl api`. The client below it only sends what it is given, and asks before each attempt.
//
// A write is on the disk, in the journal, before it leaves (submit.go). At most one program sends it at a time, and at most
// one write with a reference, whatever their keys. What was looked up, claimed or promised holds for a limited time, by the
// wall clock and by the monotonic clock, and is checked immediately before the bytes leave (permit.go). What an answer, a
// read or a list shows of a write is judged by nine rules (proof.go).
//
// TestModel explores what follows from them when programs die, messages are lost, services differ and time passes.
package outbox

import (
	"context"
	"net/url"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/wait"
)

// A Client calls the service. It sends a write again only if the request's permit allows it.
type Client interface {
	payments.Reads
	payments.EventStreamer
	// Authorize returns an error if no credential can be obtained, without which nothing would be sent.
	Authorize(context.Context) error
	// Send sends a write, and returns the answer: done means that it is a 2xx with a JSON object, whatever that shows.
	Send(context.Context, effect.Request) effect.Outcome
	// Digest identifies the method, path and bytes with which a write leaves.
	Digest(effect.Request) string
	// Cautions returns what a person should know before the first payment at the service.
	Cautions(request jsontext.Value) []string
	// DeleteSavedContact deletes a contact, and returns the status of the answer.
	DeleteSavedContact(ctx context.Context, savedContactID string) (status int, err error)
	// Read reads a resource by an operation; nil means at a path that the service has named.
	Read(ctx context.Context, op *contract.Operation, params ...string) (jsontext.Value, error)
	// List reads a page of a list by an operation.
	List(ctx context.Context, op *contract.Operation, query url.Values) (effect.Rows, error)
	// Writes reports whether a call may change something. Meaning returns the use of an operation that it is, in the
	// contract's terms; without an operation it is none.
	Writes(method, path string) bool
	Meaning(effect.Request) (effect.Request, error)
	// World is the instance of the reference service's world that answered last; empty for any other service.
	World() string
	// HonoursKeys reports whether the service is relied on to honour idempotency keys. With ask, a service that has not
	// shown yet what it is is asked first.
	HonoursKeys(ctx context.Context, ask bool) bool
	// KeepsReferencesUnique reports whether the service's own document declares that a reference has one transfer.
	KeepsReferencesUnique(context.Context) bool
}

// A Journal is the journal of the writes that one client sends to one service: a journal.Journal, which describes the
// methods.
type Journal interface {
	Claim(ctx context.Context, intents []journal.Intent, mode journal.Mode) ([]journal.Claim, error)
	Renew(ctx context.Context, intent journal.Intent) (mine bool, err error)
	Release(intents ...journal.Intent) error
	End(intent journal.Intent, result journal.Result) error
	EndAlone(ctx context.Context, intent journal.Intent, result journal.Result) (other *journal.Entry, err error)
	Record(ctx context.Context, entries []journal.Entry) error
	Lookup(ctx context.Context, intents ...journal.Intent) ([]journal.Entry, error)
	Each(ctx context.Context, filter journal.Filter, each func(journal.Entry) error) error
	Alike(ctx context.Context, contact, amount string) (journal.Alike, error)
	Check(ctx context.Context, count int, intent func(int) journal.Intent) (map[int][]*payments.ProblemError, error)
}

// ResendAfter is how long after it was last sent a person may say that a write did not happen without saying so twice:
// longer than proxies and services keep a request whose client has gone.
const ResendAfter = 15 * time.Minute

// ListsAreUseless is a ListLag of a service whose lists are never asked for what was created.
const ListsAreUseless = settings.Never

// An Outbox is the payments service with writes that happen once. It is safe for concurrent use.
type Outbox struct {
	Client
	Options

	Journal Journal

	started time.Time
	unique  uniqueness
	unseen  atomic.Bool // the user was told that lists do not show what was made
	hasList atomic.Bool // a list has answered
	warned  atomic.Bool // the user was told what to know before the first payment
}

// Options of an Outbox.
type Options struct {
	// Timeout is how long to wait for another program that is sending the same write.
	Timeout time.Duration
	Now     func() time.Time
	// ListLag is how long it takes until the service's lists show what was created, or ListsAreUseless.
	ListLag time.Duration
	// References matches the references that the service keeps as they are; nil means all.
	References *regexp.Regexp
	// DryRun passes every write to a client that shows it in place of sending it (--curl): nothing is recorded.
	DryRun bool
	// Sleep waits; nil means a timer.
	Sleep func(context.Context, time.Duration) error
	// AcceptPayee pays contacts that have changed since they were paid last.
	AcceptPayee bool
	// Confirm asks a person about a payment that is held back, and returns why it stays so. A nil Confirm holds all back.
	Confirm func(ctx context.Context, why *payments.ProblemError, amount string) error
	// Note tells the user something that is not an error; nil means it is not told.
	Note func(text string)
}

// New returns an Outbox.
func New(client Client, writes Journal, o Options) *Outbox {
	if o.Sleep == nil {
		o.Sleep = wait.Sleep
	}
	if o.Note == nil {
		o.Note = func(string) {}
	}
	return &Outbox{Client: client, Options: o, Journal: writes, started: o.Now()}
}
