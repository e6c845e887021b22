// Package outbox decides whether a write may be sent, and what became of it. Every command that changes something at
// the service goes through it. That includes the rows of files (package batch) and `payctl api`. The client below it
// only sends what it is given, and asks before each attempt.
//
// A write is on the disk, in the journal, before it leaves (submit.go). At most one program at a time sends a write,
// and at most one write with a reference, whatever their keys. A lookup, a claim or a promise holds for a limited time.
// Each is checked immediately before the bytes leave (send_check.go). Nine rules decide what an answer, a read or a
// list proves (proof.go).
//
// TestModel checks the rules while programs die, messages are lost, services differ and time passes.
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

// A Client calls the service. It sends a write again only if the request's send check allows it.
type Client interface {
	payments.Reads
	payments.EventStreamer
	// Authorize returns an error if no credential can be obtained.
	Authorize(context.Context) error
	// Send sends a write, and returns the answer. Done means a 2xx with a JSON object, whatever it shows.
	Send(context.Context, effect.Request) effect.Result
	// Digest identifies the method, path and bytes that a write is sent as.
	Digest(effect.Request) string
	// Cautions returns what a person should know before the first payment at the service.
	Cautions(request jsontext.Value) []string
	// DeleteSavedContact deletes a contact, and returns the status of the answer.
	DeleteSavedContact(ctx context.Context, savedContactID string) (status int, err error)
	// Read reads a resource by an operation. A nil operation reads a path that the service has named.
	Read(ctx context.Context, op *contract.Operation, params ...string) (jsontext.Value, error)
	// List reads a page of a list by an operation.
	List(ctx context.Context, op *contract.Operation, query url.Values) (effect.Rows, error)
	// Writes reports whether a call may change something. Meaning returns the call as a use of an operation, in the
	// contract's terms. It has no operation if none fits.
	Writes(method, path string) bool
	Meaning(effect.Request) (effect.Request, error)
	// World is the instance of the reference service's world that answered last. It is empty for any other service.
	World() string
	// HonoursKeys reports whether payctl relies on the service to honour idempotency keys. With ask, it first asks a
	// service that is not known yet.
	HonoursKeys(ctx context.Context, ask bool) bool
	// KeepsReferencesUnique reports whether the service's own document declares that references are unique.
	KeepsReferencesUnique(context.Context) bool
}

// A Journal records the writes that one client sends to one service. journal.Journal describes the methods.
type Journal interface {
	Claim(ctx context.Context, intents []journal.PendingWrite, mode journal.Mode) ([]journal.Claim, error)
	Renew(ctx context.Context, pending journal.PendingWrite) (mine bool, err error)
	End(pending journal.PendingWrite, ending journal.Ending) error
	EndAlone(ctx context.Context, pending journal.PendingWrite, ending journal.Ending) (other *journal.Entry, err error)
	Record(ctx context.Context, entries []journal.Entry) error
	Lookup(ctx context.Context, intents ...journal.PendingWrite) ([]journal.Entry, error)
	Each(ctx context.Context, filter journal.Filter, each func(journal.Entry) error) error
	Alike(ctx context.Context, contact, amount string) (journal.Alike, error)
	Check(ctx context.Context, count int, intent func(int) journal.PendingWrite) (map[int][]*payments.ProblemError, error)
}

// ResendAfter is how long after the last attempt a person must confirm twice that a write did not happen. Proxies and
// services keep a request whose client has gone for less time.
const ResendAfter = 15 * time.Minute

// ListsAreUseless is the ListLag of a service whose lists are never asked for what was created.
const ListsAreUseless = settings.Never

// An Outbox is a payments service whose writes happen once. It is safe for concurrent use.
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
	// References matches the references that the service keeps unchanged. Nil means all.
	References *regexp.Regexp
	// DryRun passes every write to a client that only shows it (--curl). Nothing is recorded.
	DryRun bool
	// Sleep waits. Nil means with a timer.
	Sleep func(context.Context, time.Duration) error
	// AcceptPayee also pays contacts that have changed since their last payment.
	AcceptPayee bool
	// Confirm asks a person about a payment that is held back. An error keeps it back. A nil Confirm keeps all back.
	Confirm func(ctx context.Context, why *payments.ProblemError, amount string) error
	// Note tells the user something that is not an error. Nil discards notes.
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
