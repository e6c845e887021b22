package payments

import (
	"context"
	"time"
)

// An Intent is a write that is about to be sent.
type Intent struct {
	Service   string // the base URL
	Client    string // the client id, which is what a service scopes keys by; empty when it is not known
	Profile   string
	Operation string // an operationId, or the method and path of a call that has none
	Key       string // the Idempotency-Key
	BodyHash  string // SHA-256 of the body, in hexadecimal
	World     string // the reference service's world, as far as it is known; empty at any other service

	// Of is the identifier of what the write is about; empty when it makes something.
	Of string
	// What the effect can be found by at the service; empty where it has none.
	Reference, ExternalID, BatchID string
	// Body is the request, where it is kept so that it can be sent again; nil where it is not.
	Body []byte
}

// IsFoundByExternalID says whether the effect can be found by its external id alone, which need not be one write's.
func (i Intent) IsFoundByExternalID() bool { return i.Reference == "" && i.ExternalID != "" }

// An Outcome is what became of a write, as far as is known here.
type Outcome string

// The outcomes. Sending and unknown are the ones that something is still to be found out about.
const (
	OutcomeSending Outcome = "sending"  // it was about to leave; whoever sent it may still be at it
	OutcomeDone    Outcome = "done"     // it had its effect
	OutcomeRefused Outcome = "refused"  // the service said no: it had none
	OutcomeNotSent Outcome = "not_sent" // nothing left this machine
	OutcomeUnknown Outcome = "unknown"  // it left, and no answer said what became of it
	OutcomeAbsent  Outcome = "absent"   // it was looked for long after, and is not there
)

// Settled says whether there is nothing left to find out.
func (o Outcome) Settled() bool { return o != OutcomeSending && o != OutcomeUnknown }

// A Result is what an answer, or the lack of one, says of a write.
type Result struct {
	Outcome Outcome
	Status  int    // of the answer; zero without one
	Subject string // identifier of what was made or changed
	State   string // of the subject, as the answer had it
	Problem string // the problem's type
	Detail  string // the problem's detail
	World   string // the reference service's world that answered
}

// A JournalEntry is a write in the journal.
type JournalEntry struct {
	Intent
	Result
	Attempts int // how often it was about to leave
	Began    time.Time
	Changed  time.Time
	// Busy says that the program which sends it is running.
	Busy bool
}

// A Journal is where every write is put down before it leaves. It outlives the program, and several may share it.
type Journal interface {
	// Begin puts a write down, on the disk when it returns. Mine says that the caller may send it now, and has to End
	// it: it is new, or did not happen before. Otherwise the entry tells what is known of an earlier one with the same
	// service, client, operation and key. Again takes over an earlier one whose outcome is open.
	Begin(ctx context.Context, intent Intent, again bool) (entry JournalEntry, mine bool, err error)
	// End puts down what became of a write. It is on the disk when the journal is flushed or closed, at the latest; until
	// then the outcome counts as open, which loses nothing.
	End(intent Intent, result Result) error
	// Claimed says whether another write of the same operation is known to have made what a subject names.
	Claimed(ctx context.Context, intent Intent, subject string) (bool, error)
}

// A PreparedTransfer is a new transfer that can be put down in a journal and sent as it is: its body was encoded once.
type PreparedTransfer struct {
	Request NewAutoTransfer
	Key     Idempotency
	Intent  Intent
	Body    []byte // as it is sent
}

// A MadeTransfer is what whoever makes many transfers needs to know of each: what it is, and whether it is the one asked for.
type MadeTransfer struct {
	ID        string        `json:"id"`
	State     TransferState `json:"state"`
	Reference string        `json:"reference"`
	Amount    *Decimal      `json:"amount"`
}

// Contradicts names the member by which a transfer shows that it is another than the one asked for; empty: none does. A service
// that mixes answers up, or answers a key again whatever comes with it, shows it so. What it leaves out contradicts nothing,
// nor does a reference that it makes up where none was given.
func (m MadeTransfer) Contradicts(asked NewAutoTransfer) string {
	switch {
	case m.Reference != "" && asked.Reference != "" && !alike(m.Reference, asked.Reference):
		return "reference"
	case m.Amount != nil && asked.Amount != nil && !m.Amount.Equal(*asked.Amount):
		return "amount"
	}
	return ""
}
