package follow

import (
	"context"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// Subjects are things of one kind whose statuses can be followed.
type Subjects struct {
	// Events are the types of the events that report a status.
	Events []payments.EventType
	// Of returns the state that an event reports.
	Of func(payments.Event) State
	// Read reads the state of one subject, of which at least the ID is known.
	Read func(ctx context.Context, known State) (State, error)
	// List reads a page of the subjects that Engine.All means. next is the cursor of the next page; empty after the
	// last. It may be nil without All.
	List func(ctx context.Context, cursor string) (page []State, next string, err error)
	// IsMember reports whether the subject of an event is one that List has.
	IsMember func(ctx context.Context, e payments.Event) (bool, error)
}

// A State is the status of a subject, such as an account's identity check or a transfer, at one time.
type State struct {
	ID     string
	Status string
	// Since is when the subject got this status.
	Since time.Time
	// Until is when the status ends at the latest. Zero means never, or it is not known.
	Until   time.Time
	Reasons []payments.KYCReason
	// Record is what else is known of the subject, such as its account; the engine only passes it on.
	Record any
	// Partial is true if the state does not have the reasons: it comes from a list, or only the ID is known.
	Partial bool
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
	// GoalStatus is what the new status means for the goal.
	GoalStatus GoalStatus
}

// A SubjectResult is the last known status of a subject when the watch ended.
type SubjectResult struct {
	ID, Status string
	// Why explains the status in words; it may be empty.
	Why string
}

// A Summary is how a watch ended. Each list is in the order in which the subjects were first seen.
type Summary struct {
	Reached, Failed, Waiting []SubjectResult
}

// Summary returns what is known at present. It may be called while Run follows the subjects, but not by Each.
func (e *Engine) Summary() Summary {
	e.mu.Lock()
	defer e.mu.Unlock()
	results := map[GoalStatus][]SubjectResult{}
	for _, s := range e.order {
		results[s.goalStatus] = append(results[s.goalStatus], s.SubjectResult)
	}
	return Summary{Reached: results[Reached], Failed: results[Failed], Waiting: results[Waiting]}
}

// A subject is what the engine knows of one subject.
type subject struct {
	SubjectResult

	reported   bool       // its first status was reported
	recorded   int        // Engine.records after its status was recorded
	since      time.Time  // when it got the status
	goalStatus GoalStatus // not followed any more unless Waiting
}

// add returns what is known of a subject, and begins to follow it if nothing is.
func (e *Engine) add(id string) *subject {
	s := e.byID[id]
	if s == nil {
		s = &subject{SubjectResult: SubjectResult{ID: id}}
		e.byID[id] = s
		e.order = append(e.order, s)
		e.waiting++
	}
	return s
}

// find returns a copy of what is known of a subject; the zero one if it is not followed.
func (e *Engine) find(id string) (known subject) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.byID[id]; s != nil {
		known = *s
	}
	return known
}

// report updates a subject and reports the change if its status is new. The error is that of Each. e.mu is held.
func (e *Engine) report(state State) error {
	s := e.add(state.ID)
	if s.goalStatus != Waiting || s.reported && s.Status == state.Status {
		return nil
	}
	change := Change{State: state, GoalStatus: e.Goal.Judge(state.Status)}
	if s.reported {
		from := s.Status
		change.From = &from
	}
	e.records++
	s.reported, s.recorded, s.since, s.goalStatus = true, e.records, state.Since, change.GoalStatus
	s.Status, s.Why = state.Status, state.Why()
	if err := e.Each(change); err != nil {
		return err
	}
	if s.goalStatus != Waiting {
		e.waiting--
	}
	return nil
}

// recorded returns how often a status was recorded.
func (e *Engine) recorded() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.records
}

// isNews reports whether a reading tells a status that is not known. A status that was recorded while the subject was
// read is newer. So is one with a later time that a feed has told: some lists lag behind. e.mu is held.
func (e *Engine) isNews(r reading) bool {
	known := e.byID[r.ID]
	return known == nil || !known.reported || known.Status != r.Status && known.recorded <= r.records &&
		(!e.feed.works() || r.Since.IsZero() || !r.Since.Before(known.since))
}

// isFinished reports whether there is a goal and no subject is waited for any more.
func (e *Engine) isFinished() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.waiting == 0 && len(e.Goal.Wanted) > 0
}

// unfinished returns the subjects that are still followed.
func (e *Engine) unfinished() (ids []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.order {
		if s.goalStatus == Waiting {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// A GoalStatus is what a status means for a goal.
type GoalStatus int

// What a status can mean for a goal.
const (
	Waiting GoalStatus = iota // the goal is not reached yet
	Reached                   // the goal is reached, or was passed
	Failed                    // the goal cannot be reached any more
)

// A Goal is what a watch waits for. With the zero Goal it waits for nothing and only reports changes.
type Goal struct {
	// Wanted are the statuses that reach the goal.
	Wanted []string
	// CanReach reports whether a subject with one status can still get another.
	CanReach func(status, other string) bool
	// HasPassed reports whether a status comes after another, which is then reached too; nil if that does not count.
	HasPassed func(status, other string) bool
}

// Judge decides what a status means for the goal.
func (g Goal) Judge(status string) GoalStatus {
	if len(g.Wanted) == 0 {
		return Waiting
	}
	goalStatus := Failed
	for _, wanted := range g.Wanted {
		switch {
		case status == wanted, g.HasPassed != nil && g.HasPassed(status, wanted):
			return Reached
		case g.CanReach(status, wanted):
			goalStatus = Waiting
		}
	}
	return goalStatus
}
