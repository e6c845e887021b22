package follow

import (
	"context"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// A State is the status of a subject, such as an account's identity check or a transfer, at one time.
type State struct {
	ID     string
	Status string
	// Since is when the subject got this status.
	Since   time.Time
	Reasons []payments.KYCReason
	// Record is what else is known of the subject, such as its account; nil if nothing is.
	Record Record
	// Partial is true if the state does not have the reasons: it comes from a list, or only the ID is known.
	Partial bool

	gone bool // the subject has been deleted
}

// A Record is what a source of states knows of a subject besides its status. Over returns what this record and an
// earlier one know, this one first.
type Record interface{ Over(earlier Record) Record }

// Newest returns what two records of a subject know, either of which may be nil.
func Newest(record, earlier Record) Record {
	switch {
	case record == nil:
		return earlier
	case earlier == nil:
		return record
	}
	return record.Over(earlier)
}

// mostWhy bounds the text that is kept for each of 100,000 subjects, in bytes, whatever the service sends.
const mostWhy = 1 << 10

// Why explains the status in words, at most 1 KiB of them; it may be empty.
func (s State) Why() string {
	text := ""
	for _, r := range s.Reasons {
		text = strings.TrimPrefix(text+" "+r.Text(), " ")
	}
	if len(text) > mostWhy {
		return strings.ToValidUTF8(text[:mostWhy], "") + " ..."
	}
	return text
}

// A Change is a change of a subject's status.
type Change struct {
	State
	// From is the status before; nil in the first report of a subject.
	From *string
	// Verdict is what the new status means for the goal.
	Verdict Verdict
}

// Subjects are things of one kind whose statuses can be followed.
type Subjects struct {
	// Events are the types of the events that report a status.
	Events []payments.EventType
	// Of returns the state that an event reports.
	Of func(payments.Event) State
	// Read reads the state of one subject.
	Read func(ctx context.Context, id string) (State, error)
	// List reads a page of the subjects that Engine.All means. next is the cursor of the next page; empty after the last.
	List func(ctx context.Context, cursor string) (page []State, next string, err error)
	// IsMember reports whether the subject of an event is one that List has.
	IsMember func(ctx context.Context, e payments.Event) (bool, error)
}
