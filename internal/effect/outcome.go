// Package effect is shared by client and outbox: the request of a write, its outcome, and the comparison of a request
// with the service's document. It reads documents leniently.
package effect

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/payments"
)

// An Outcome is what is known about the effect of a write.
type Outcome string

// The outcomes. The client derives them from a response or its absence. The journal stores them, and batches and
// imports report them.
const (
	// Done means that the service shows the requested effect. From the client it means a 2xx with a JSON object.
	Done Outcome = "done"
	// Refused means that the service refused it, or that its name belongs to something else. It had no effect.
	Refused Outcome = "refused"
	// NotSent means that nothing left this machine, or that the service did not read the request. It then answered with
	// 401, a missing scope (403) or 429.
	NotSent Outcome = "not_sent"
	// Unknown means that it was sent and may have had its effect, or that the service shows something else.
	Unknown Outcome = "unknown"
)

// A Result is what became of a write.
type Result struct {
	Outcome Outcome
	// Err is why the write is not done, usually a *ProblemError. Nil means that it is done.
	Err error
	// Subject is the identifier of the created or changed resource, and State its state. Both are also set if something
	// else is in the way of the write, or if an answer names a resource without proof.
	Subject, State string
	// Shown are the members that the service shows in another form, as Comparison.Accepted returns them.
	Shown map[string]string
	// Document is the effect as the service shows it: a JSON object, or any body for a call outside the contract.
	Document jsontext.Value
	// Members are those of Document. Nil means that they were not read.
	Members Members
	// NotCompared are the members of the request that the service does not show. Near describes those that may mean the
	// same.
	NotCompared, Near []string
	// Replayed reports that the effect existed before this call.
	Replayed bool
	// Attempts is how many attempts of this call were allowed to leave. Lost reports that an earlier one may have had
	// its effect.
	Attempts int
	Lost     bool
	// Response is the last complete response to the write, or nil.
	Response *payments.Response
}

// IsDone reports whether the write is done.
func (r Result) IsDone() bool { return r.Outcome == Done }

// A SendCheck is asked immediately before each attempt of a write leaves. Lost is the error of an earlier unknown
// attempt, or nil. An error stops the attempt.
type SendCheck func(ctx context.Context, lost error) error

// A Request is the use of an operation of the contract, or any other call.
type Request struct {
	// Operation is the operationId, and Params are the parameters of its path.
	Operation string
	Params    []string
	// Method and Path are set for a call outside the contract. The path is escaped and may have a query. A check of the
	// contract also sets the method of an operation.
	Method, Path string
	Query        map[string][]string // of an operation
	// Header are further header fields of a caller.
	Header map[string][]string
	Body   []byte // canonical JSON, or nil
	Key    string // the Idempotency-Key, or empty
	Match  string // the If-Match field, or empty
	// Anonymous leaves out the credential, in a check of the contract.
	Anonymous bool

	// MaySend is asked before each attempt. Without it an attempt may leave only if no earlier one may have had an
	// effect.
	MaySend SendCheck
	// Lost is the error of an earlier program's attempt with the same key, or nil.
	Lost error
}

// Rows is a page of a list as the service sent it.
type Rows struct {
	Documents []jsontext.Value
	Next      string // the cursor of the next page, or empty
}
