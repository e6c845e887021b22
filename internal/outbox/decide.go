package outbox

import (
	"context"

	"github.com/payctl/payctl/internal/outbox/journal"
)

// An action is what is done about a write that is submitted and that the journal knows already.
type action uint8

const (
	waitForSender action = iota
	readEffect
	sendAgain
	lookUp
	refuse // another write has the external id
)

// A Decision says what is done about a write that is submitted. The first one that applies counts. docs/JOURNAL.md shows
// them.
type Decision struct {
	// Entry says what the journal has, and Then what is done, in words.
	Entry, Then string

	applies func(situation) bool // nil: the journal itself decides (journal.Claim)
	do      action
}

// A situation is what is known about a submitted write for which the journal has an entry.
type situation struct {
	entry       journal.Entry
	sameRequest bool // the entry has the key and the content of the write
	mayRepeat   func() bool
}

// Decisions are what is done about a write that is submitted, by what the journal has.
var Decisions = []Decision{
	{Entry: "nothing; `refused`, `not_sent` or `absent`; or an entry of an earlier instance of the world",
		Then: "records it, looks for its effect at the service, and sends it if there is none"},
	{Entry: "`sending`, and the program that sends it is running",
		Then:    "waits for it, for as long as `--timeout` allows; then exits with 10",
		applies: func(s situation) bool { return s.entry.Busy }, do: waitForSender},
	{Entry: "`done`, with this key or this reference",
		Then:    "reads the effect and sends nothing, however long ago it was",
		applies: func(s situation) bool { return s.entry.Outcome.Settled() }, do: readEffect},
	{Entry: "`sending` or `unknown`, with this key and this content, and the service keeps the write from having its " +
		"effect twice: it honours the key, for 23 hours, or keeps the reference unique",
		Then:    "sends it again with the same key; looks for a transfer before, unless the service keeps references unique",
		applies: func(s situation) bool { return s.sameRequest && s.mayRepeat() }, do: sendAgain},
	{Entry: "`sending` or `unknown` otherwise",
		Then: "looks for its effect at the service. If there is none, and the write was last sent at least 15 minutes " +
			"ago, it counts as not done and is sent; before that, exits with 10 and sends nothing",
		applies: func(situation) bool { return true }, do: lookUp},
}

// decide returns what is done about a write for which the journal has an entry.
func (o *Outbox) decide(ctx context.Context, intent journal.Intent, entry journal.Entry) action {
	s := situation{
		entry:       entry,
		sameRequest: entry.Key == intent.Key && entry.BodyHash == intent.BodyHash,
		mayRepeat:   func() bool { return o.mayRepeat(ctx, intent, entry.Began) },
	}
	for _, d := range Decisions {
		if d.applies != nil && d.applies(s) {
			return d.do
		}
	}
	return lookUp
}
