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
	// Note explains the status in words, where there are no reasons; it may be empty.
	Note string
	// Record is what else is known of the subject, such as its account; nil if nothing is.
	Record Record
	// Partial is true if the state does not have the reasons: it comes from a list, or only the ID is known.
	Partial bool

	gone bool // the subject has been deleted
}

// A Record is what a source of states knows of a subject besides its status.
type Record interface {
	// Size is how many bytes of text the record has.
	Size() int
	// Over returns what this record and an earlier one know, this one first.
	Over(earlier Record) Record
}

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

// Why explains the status in words; it may be empty.
func (s State) Why() string {
	if len(s.Reasons) == 0 {
		return s.Note
	}
	words := make([]string, len(s.Reasons))
	for i, r := range s.Reasons {
		words[i] = r.Text()
	}
	return strings.Join(words, " ")
}

// A Change is a change of a subject's status.
type Change struct {
	State
	// From is the status before; nil in the first report of a subject.
	From *string
	// Verdict is what the new status means for the goal.
	Verdict Verdict
}

// Membership is whether the subject of an event is one of those that are listed.
type Membership int

// The memberships.
const (
	NotMember Membership = iota
	Member
	Unknown // the event does not have what the list is filtered by
)

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
	// First reads some of the subjects that List has, which are to be reported before the others; it may be nil.
	First func(ctx context.Context) (page []State, err error)
	// Membership decides whether the subject of an event is one that List has.
	Membership func(payments.Event) Membership
}
