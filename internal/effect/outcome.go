// Package effect is what client and outbox share: the request of a write, what became of it, and how a document that the
// service shows compares with what was sent. It reads documents as leniently as services write them.
package effect

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/payments"
)

// A Verdict is what is known about the effect of a write.
type Verdict string

// The verdicts. The client derives them from a response or its absence, the journal stores them, and batches and imports
// report them.
const (
	// Done: the service shows an effect that is what was asked. Of a client's answer: it is a 2xx with a JSON object.
	Done Verdict = "done"
	// Refused: the service refused it, or shows that it belongs to something else. It had no effect.
	Refused Verdict = "refused"
	// NotSent: nothing left this machine, or the service turned it away unread: without a valid token (401), without the
	// scope that it needs (403), or since too many requests came (429).
	NotSent Verdict = "not_sent"
	// Unknown: it was sent and may have had its effect, or what the service shows is not what was asked.
	Unknown Verdict = "unknown"
)

// An Outcome is what became of a write.
type Outcome struct {
	Verdict Verdict
	// Err is why the write is not done, usually a *ProblemError; nil if it is done.
	Err error
	// Subject is the identifier of what was created or changed, and State its state. Both are also set if something else
	// stands in the way of the write, and if an answer names something and does not prove that it is what was asked for.
	Subject, State string
	// Shown are the members that the service shows in another form than they were sent, as Comparison.Accepted has them.
	Shown map[string]string
	// Document is what the service shows of the effect: a JSON object, except in the response to a call of no known
	// operation.
	Document jsontext.Value
	// NotCompared are the members of the request that the service does not show. Near describes those that it shows
	// differently, and that may mean the same.
	NotCompared, Near []string
	// Replayed reports that the effect existed before this call.
	Replayed bool
	// Attempts is how many attempts of this call were allowed to leave. Lost reports that one before the last may have had
	// its effect.
	Attempts int
	Lost     bool
	// Response is the last complete response to the write; nil means that there was none.
	Response *payments.Response
}

// IsDone reports whether the write is done.
func (o Outcome) IsDone() bool { return o.Verdict == Done }

// A Permit is asked immediately before each attempt at a write leaves. Lost is the error of an earlier attempt whose
// outcome is unknown; nil if there was none. An error stops the attempt.
type Permit func(ctx context.Context, lost error) error

// A Request is the use of an operation of the contract, or any other call.
type Request struct {
	// Operation is the operationId, and Params are the parameters of its path.
	Operation string
	Params    []string
	// Method and Path are those of a call of no known operation; the path is escaped and may have a query. A check of the
	// contract sets the method of an operation too.
	Method, Path string
	Query        map[string][]string // of an operation
	// Header are further header fields of a caller.
	Header map[string][]string
	Body   []byte // canonical JSON; nil for none
	Key    string // the Idempotency-Key; empty for none
	Match  string // the If-Match field; empty for none
	// Anonymous leaves out the credential, in a check of the contract.
	Anonymous bool

	// MaySend is asked before each attempt. Without it only a first attempt, and one after attempts that had no effect,
	// may leave.
	MaySend Permit
	// Lost is the error of an attempt that an earlier program made with the same key; nil if there was none.
	Lost error
}

// Rows is a page of a list as the service sent it.
type Rows struct {
	Documents []jsontext.Value
	Next      string // the cursor of the next page; empty if there is none
}
