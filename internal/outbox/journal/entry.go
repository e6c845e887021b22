package journal

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/effect"
)

// A PendingWrite is a write that is about to be sent.
type PendingWrite struct {
	Service     string // the base URL
	Client      string // the client id, since a service scopes keys by client; empty if unknown
	Operation   string // an operationId, or the method and path of a call that has none
	Key         string // the Idempotency-Key
	Fingerprint string // SHA-256 of the content, in hexadecimal
	World       string // the instance of the reference service's world; empty if unknown, and for any other service

	// Of is the identifier of the resource that the write changes; empty if it creates one.
	Of string
	// The members that find the effect at the service; empty if the write has none.
	Reference, ExternalID, BatchID string
	// File is the name of the file that has the write as a row; empty without one.
	File string
	// Body is the request, if it is kept to be sent again. Otherwise it is nil.
	Body []byte
	// SentHash is the SHA-256, in hexadecimal, of the method, path and bytes that leave.
	SentHash string
	// Amount and Currency are those of a transfer; empty otherwise.
	Amount, Currency string
	Payee            Payee
	// IsConfirmed reports that a person has typed the amount, and AcceptsPayee that the payee may have changed.
	IsConfirmed, AcceptsPayee bool
	// Repeats reports that an earlier attempt may have left. Claim sets it.
	Repeats bool
	// Replaces is the entry that a claim Anew or a decision replaces, as a person has seen it. Nil means as it is now.
	Replaces *Entry
}

// A Payee is the contact of a transfer, if it was read. Name is what the user called it.
type Payee struct{ Name, ID, Label, Holder, Rail, Account string }

// String returns the payee for a person, in one line.
func (p Payee) String() string {
	parts := slices.DeleteFunc([]string{p.ID, p.Label, p.Holder, p.Rail, p.Account},
		func(s string) bool { return s == "" })
	return strings.Join(strings.Fields(strings.Join(parts, ", ")), " ")
}

// isOther reports whether a payee differs from another in what both show. A label may differ.
func (p Payee) isOther(than Payee) bool {
	differs := func(a, b string) bool { return a != b && a != "" && b != "" }
	return differs(p.ID, than.ID) || differs(p.Holder, than.Holder) || differs(p.Rail, than.Rail) ||
		differs(p.Account, than.Account)
}

// Name is what a person calls the write: its reference, external id or key.
func (i PendingWrite) Name() string { return cmp.Or(i.Reference, i.ExternalID, i.Key) }

// HasGivenKey reports whether the write has a reference, and a key that was not made of it.
func (i PendingWrite) HasGivenKey() bool {
	return i.Reference != "" && i.Key != ReferenceKey(i.Operation, i.Reference)
}

// IsNamedByExternalID reports whether the effect can be found by its external id.
func (i PendingWrite) IsNamedByExternalID() bool { return i.Reference == "" && i.ExternalID != "" }

// HasSharedKey reports whether every machine makes the same key for the write. The key is made of the reference or
// external id, or the external id of the key.
func (i PendingWrite) HasSharedKey() bool {
	if i.Reference != "" {
		return !i.HasGivenKey()
	}
	return i.Key == ReferenceKey(i.Operation, i.ExternalID) || i.ExternalID == ExternalIDOf(i.Operation, i.Key)
}

// HasRandomKey reports whether the key is random, made by payctl for one run.
func (i PendingWrite) HasRandomKey() bool {
	return strings.HasPrefix(i.Key, KeyPrefix) && !i.HasSharedKey()
}

// The outcomes that only the journal knows. Sending and unknown are open: the effect is not known yet.
const (
	OutcomeSending effect.Outcome = "sending" // it may have been sent; its program may still be waiting for the response
	OutcomeClosed  effect.Outcome = "closed"  // a person has decided that it is not sent again
)

// IsOpen reports whether the effect of the write is not known yet.
func (e *Entry) IsOpen() bool { return e.Outcome == OutcomeSending || e.Outcome == effect.Unknown }

// An Ending is what the journal keeps of the result of a write.
type Ending struct {
	Outcome effect.Outcome
	Subject string // identifier of the created or changed resource, proven or not
	State   string // of the subject in the response
	// Shown are the members that the service shows in another form than they were sent, by name. Personal data is left
	// out.
	Shown map[string]string
	// Accepted are the ids that a person has accepted as the effect.
	Accepted []string
	Problem  string // the problem's type
	Detail   string // the problem's detail
	World    string // the instance of the reference service's world that answered
	// IsUnsent reports that the claim that ends was not sent. It is not kept.
	IsUnsent bool
}

// An Entry is a write in the journal.
type Entry struct {
	PendingWrite
	Ending
	Attempts int // how often it was about to be sent
	Began    time.Time
	Changed  time.Time
	// User and Host are who recorded it last, and on which machine.
	User, Host string
	// Busy reports that the program that sends it is running.
	Busy bool

	owner string // the program that claimed it last and has not ended it; empty means none
}

// IsOfOtherWorld reports whether an entry is known to belong to another instance of a reference service's world. An
// unknown instance is empty and does not count as another.
func (e *Entry) IsOfOtherWorld(world string) bool {
	return e.Ending.World != "" && world != "" && e.Ending.World != world
}

const (
	columns = "service, client, operation, idempotency_key, body_hash, body, reference, external_id, batch_id, file, " +
		"target, sent_hash, amount, currency, payee_name, payee_id, payee_label, payee_holder, payee_rail, payee_account, " +
		"outcome, world, subject, shown, accepted, state, problem, detail, attempts, began, changed, user, host, owner"

	// isOwn selects the entry of a write. Its arguments are those of PendingWrite.own.
	isOwn  = "idempotency_key = ?1 AND operation = ?2 AND service = ?3 AND client = ?4"
	isOpen = "outcome IN ('sending', 'unknown')"
)

// own are the arguments of isOwn.
func (i PendingWrite) own() []any { return []any{i.Key, i.Operation, i.Service, i.Client} }

// errForged is returned for an entry that no version of payctl writes. Believing it or leaving it out could send its
// write twice.
var errForged = errors.New("it has an entry that payctl does not write")

// scan reads a row of columns.
func scan(row func(...any) error) (e Entry, err error) {
	var outcome, shown, accepted, began, changed string
	err = row(&e.Service, &e.Client, &e.Operation, &e.Key, &e.Fingerprint, &e.Body,
		&e.Reference, &e.ExternalID, &e.BatchID, &e.File,
		&e.Of, &e.SentHash, &e.Amount, &e.Currency,
		&e.Payee.Name, &e.Payee.ID, &e.Payee.Label, &e.Payee.Holder, &e.Payee.Rail, &e.Payee.Account,
		&outcome, &e.PendingWrite.World, &e.Subject, &shown, &accepted, &e.State,
		&e.Problem, &e.Detail, &e.Attempts, &began, &changed, &e.User, &e.Host, &e.owner)
	if err != nil {
		return Entry{}, err
	}
	e.Outcome, e.Ending.World, e.Accepted = effect.Outcome(outcome), e.PendingWrite.World, strings.Fields(accepted)
	var wrong [3]error
	e.Began, wrong[0] = time.Parse(time.RFC3339Nano, began)
	e.Changed, wrong[1] = time.Parse(time.RFC3339Nano, changed)
	if shown != "" {
		wrong[2] = json.Unmarshal([]byte(shown), &e.Shown)
	}
	known := []effect.Outcome{OutcomeSending, effect.Done, effect.Refused, effect.NotSent, effect.Unknown, OutcomeClosed}
	if errors.Join(wrong[:]...) != nil || !slices.Contains(known, e.Outcome) {
		return Entry{}, errForged
	}
	return e, nil
}

// timeText returns a time as the table has it. All have the same length, so their texts sort by time.
func timeText(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000000Z") }
