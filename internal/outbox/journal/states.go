package journal

import (
	"slices"
	"strings"
)

// An Event is something that happens to a write, or is found out about it.
type Event string

// The events.
const (
	EventClaimed       Event = "claimed"
	EventSucceeded     Event = "answered with success"
	EventRefused       Event = "refused by the service"
	EventNotSent       Event = "nothing left this machine"
	EventUnanswered    Event = "no usable answer"
	EventClaimedAgain  Event = "claimed again with the same key"
	EventFound         Event = "found at the service"
	EventNotShown      Event = "not shown by the service long after it was sent, or dismissed by the user"
	EventWorldReplaced Event = "the world was reset or restored"
)

// A Transition is the outcome that a write has after an event. No outcome means that the journal has no entry of the
// write, or that its entry does not count any more.
type Transition struct {
	From  Outcome
	Event Event
	To    Outcome
	// Owner is true if the event counts only for the program that claimed the write last: what another one did not
	// send, or was refused, tells nothing about the attempt of that program.
	Owner bool
}

// Transitions are all there are. An event that has none in an outcome leaves the write as it is. As long as the program
// that claimed a write is running, no other one claims it, finds it absent or takes it for one of another world.
//
// A write that is claimed again stays unknown until its outcome is established: that the second attempt was not sent
// does not mean that the first one was not.
var Transitions = []Transition{
	{"", EventClaimed, OutcomeSending, false},
	{"", EventSucceeded, OutcomeDone, false}, // the entry was dropped meanwhile
	{"", EventUnanswered, OutcomeUnknown, false},
	{"", EventFound, OutcomeDone, false},

	{OutcomeSending, EventSucceeded, OutcomeDone, false},
	{OutcomeSending, EventRefused, OutcomeRefused, true},
	{OutcomeSending, EventNotSent, OutcomeNotSent, true},
	{OutcomeSending, EventUnanswered, OutcomeUnknown, false},
	{OutcomeSending, EventClaimedAgain, OutcomeUnknown, false},
	{OutcomeSending, EventFound, OutcomeDone, false},
	{OutcomeSending, EventNotShown, OutcomeAbsent, false},
	{OutcomeSending, EventWorldReplaced, "", false},

	{OutcomeUnknown, EventSucceeded, OutcomeDone, false},
	{OutcomeUnknown, EventRefused, OutcomeRefused, true},
	{OutcomeUnknown, EventNotSent, OutcomeUnknown, true},
	{OutcomeUnknown, EventUnanswered, OutcomeUnknown, false},
	{OutcomeUnknown, EventClaimedAgain, OutcomeUnknown, false},
	{OutcomeUnknown, EventFound, OutcomeDone, false},
	{OutcomeUnknown, EventNotShown, OutcomeAbsent, false},
	{OutcomeUnknown, EventWorldReplaced, "", false},

	{OutcomeDone, EventSucceeded, OutcomeDone, false},
	{OutcomeDone, EventFound, OutcomeDone, false},
	{OutcomeDone, EventWorldReplaced, "", false},

	{OutcomeRefused, EventClaimed, OutcomeSending, false},
	{OutcomeRefused, EventSucceeded, OutcomeDone, false},
	{OutcomeRefused, EventUnanswered, OutcomeUnknown, false},
	{OutcomeRefused, EventFound, OutcomeDone, false},
	{OutcomeRefused, EventWorldReplaced, "", false},

	{OutcomeNotSent, EventClaimed, OutcomeSending, false},
	{OutcomeNotSent, EventSucceeded, OutcomeDone, false},
	{OutcomeNotSent, EventUnanswered, OutcomeUnknown, false},
	{OutcomeNotSent, EventFound, OutcomeDone, false},
	{OutcomeNotSent, EventWorldReplaced, "", false},

	{OutcomeAbsent, EventClaimed, OutcomeSending, false},
	{OutcomeAbsent, EventSucceeded, OutcomeDone, false},
	{OutcomeAbsent, EventUnanswered, OutcomeUnknown, false},
	{OutcomeAbsent, EventFound, OutcomeDone, false},
	{OutcomeAbsent, EventNotShown, OutcomeAbsent, false},
	{OutcomeAbsent, EventWorldReplaced, "", false},
}

// After returns the outcome after an event; false means that the event leaves the write as it is.
func After(o Outcome, e Event) (Outcome, bool) {
	at := slices.IndexFunc(Transitions, func(t Transition) bool { return t.From == o && t.Event == e })
	if at < 0 {
		return o, false
	}
	return Transitions[at].To, true
}

// The events that End and Record record, by the outcome that they are given.
var (
	answers = map[Outcome]Event{
		OutcomeDone: EventSucceeded, OutcomeRefused: EventRefused, OutcomeNotSent: EventNotSent,
		OutcomeUnknown: EventUnanswered,
	}
	findings = map[Outcome]Event{OutcomeDone: EventFound, OutcomeAbsent: EventNotShown}
)

// transitionSQL returns, for an UPDATE of rows by an event, the new outcome and the condition of the rows that change. The
// parameter is the name of the program's owner.
func transitionSQL(e Event, ownerParameter string) (outcome, changes string) {
	var cases, conditions []string
	for _, t := range Transitions {
		if t.Event != e || t.From == "" {
			continue
		}
		from := "outcome = '" + string(t.From) + "'"
		cases = append(cases, "WHEN "+from+" THEN '"+string(t.To)+"'")
		if t.Owner {
			from = "(" + from + " AND owner = " + ownerParameter + ")"
		}
		conditions = append(conditions, from)
	}
	return "CASE " + strings.Join(cases, " ") + " END", "(" + strings.Join(append(conditions, "FALSE"), " OR ") + ")"
}
