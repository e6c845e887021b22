package watch

import (
	"context"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// A State is what a subject, such as an account's identity check or a transfer, is at a moment.
type State struct {
	ID     string
	Status string
	// Since is when it came to be so.
	Since   time.Time
	Reasons []payments.KYCReason
	// Note says in words what else belongs to it; may be empty.
	Note string
	// Name is whom it is about: personal data, empty where it is not known.
	Name string
	// Partial says that only a list told of it: why it is so was not in there.
	Partial bool
}

// Why says in words why it is so; empty when nothing is known.
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
	// From is the status before; nil in the first that is told of a subject.
	From *string
	// Verdict is what it means to who waits.
	Verdict Verdict
}

// A Belonging says whether the subject of an event is one of those that are listed.
type Belonging int

// The answers.
const (
	Foreign  Belonging = iota // it is not
	Member                    // it is
	Unproven                  // the event does not tell: list them
)

// Subjects are things of one kind whose statuses can be followed.
type Subjects struct {
	// Events are the types of the events that tell of a change of status.
	Events []payments.EventType
	// Of is the state that an event tells of.
	Of func(payments.Event) State
	// Read reads one.
	Read func(ctx context.Context, id string, since payments.Condition) (payments.Reading[State], error)
	// List reads a page of those that Engine.All is about, and where the next begins; empty after the last.
	List func(ctx context.Context, cursor string) (page []State, next string, err error)
	// Belongs says whether the subject of an event is one that List lists.
	Belongs func(payments.Event) Belonging
}
