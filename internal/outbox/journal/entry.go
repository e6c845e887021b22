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

// An Intent is a write that is about to be sent.
type Intent struct {
	Service     string // the base URL
	Client      string // the client id, by which a service scopes keys; empty if unknown
	Operation   string // an operationId, or the method and path of a call that has none
	Key         string // the Idempotency-Key
	Fingerprint string // SHA-256 of the body, in hexadecimal
	World       string // the instance of the reference service's world, if known; empty for any other service

	// Of is the identifier of the resource that the write changes; empty if it creates one.
	Of string
	// The members by which the effect can be found at the service; empty if the write has none.
	Reference, ExternalID, BatchID string
	// File is the name of the file that the write is a row of; empty if it is of none.
	File string
	// Body is the request, if it is kept to be sent again; otherwise nil.
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
}

// A Payee is the contact of a transfer, if it was read; Name is what the user called it.
type Payee struct{ Name, ID, Label, Holder, Rail, Account string }

// String returns the payee for a person, in one line.
func (p Payee) String() string {
	parts := slices.DeleteFunc([]string{p.ID, p.Label, p.Holder, p.Rail, p.Account}, func(s string) bool { return s == "" })
	return strings.Join(strings.Fields(strings.Join(parts, ", ")), " ")
}

// isOther reports whether a payee differs from another one in what both show. A label is only a name.
func (p Payee) isOther(than Payee) bool {
	differs := func(a, b string) bool { return a != b && a != "" && b != "" }
	return differs(p.ID, than.ID) || differs(p.Holder, than.Holder) || differs(p.Rail, than.Rail) || differs(p.Account, than.Account)
}

// Name is what a person calls the write: its reference, external id or key.
func (i Intent) Name() string { return cmp.Or(i.Reference, i.ExternalID, i.Key) }

// HasGivenKey reports whether the write has a reference, and yet a key that was not made of it.
func (i Intent) HasGivenKey() bool {
	return i.Reference != "" && i.Key != ReferenceKey(i.Operation, i.Reference)
}

// IsNamedByExternalID reports whether the effect can be found by its external id.
func (i Intent) IsNamedByExternalID() bool { return i.Reference == "" && i.ExternalID != "" }

// HasSharedKey reports whether every machine makes the same key for the write: of its reference, or of its external id, or
// that of the key.
func (i Intent) HasSharedKey() bool {
	return i.Reference != "" && !i.HasGivenKey() || i.Reference == "" && i.isKeyOfExternalID()
}

func (i Intent) isKeyOfExternalID() bool {
	return i.Key == ReferenceKey(i.Operation, i.ExternalID) || i.ExternalID == ExternalIDOf(i.Operation, i.Key)
}

// HasRandomKey reports whether payctl has made up the key for one run.
func (i Intent) HasRandomKey() bool {
	return strings.HasPrefix(i.Key, KeyPrefix) && !i.HasSharedKey()
}

// An Outcome is what is known about the effect of a write: a verdict, or what came before one or after it. Only sending and
// unknown are open: the effect is still to be established.
type Outcome = effect.Verdict

// The outcomes.
const (
	OutcomeSending Outcome = "sending" // it was about to be sent; its program may still be waiting for the response
	OutcomeDone            = effect.Done
	OutcomeRefused         = effect.Refused
	OutcomeNotSent         = effect.NotSent
	OutcomeUnknown         = effect.Unknown // it may be sent again just now
	OutcomeClosed  Outcome = "closed"       // a person has decided that it is not sent again
)

// IsOpen reports whether the effect of the write is still to be established.
func (e *Entry) IsOpen() bool { return e.Outcome == OutcomeSending || e.Outcome == OutcomeUnknown }

// A Result is what a response, or its absence, tells about a write.
type Result struct {
	Outcome Outcome
	Subject string // identifier of the created or changed resource, also if nothing proves that it is the write's
	State   string // of the subject in the response
	// Shown are the members that the service shows in another form than they were sent, by name; no text of a personal one.
	Shown map[string]string
	// Accepted are the identifiers that a person has accepted as the effect.
	Accepted []string
	Problem  string // the problem's type
	Detail   string // the problem's detail
	World    string // the instance of the reference service's world that answered
	// IsUnsent says that the claim which ends has not been sent. It is not kept.
	IsUnsent bool
}

// An Entry is a write in the journal.
type Entry struct {
	Intent
	Result
	Attempts int // how often it was about to be sent
	Began    time.Time
	Changed  time.Time
	// User and Host are who recorded it last, and on which machine.
	User, Host string
	// Busy reports that the program that sends it is running.
	Busy bool

	owner string // the program that claimed it last and has not ended it; empty if there is none
}

// IsOfOtherWorld reports whether an entry is known to belong to another instance of a reference service's world than
// the one that is named. An empty name, as of an instance that is not known and at any other service, is no other one.
func (e *Entry) IsOfOtherWorld(world string) bool {
	return e.Result.World != "" && world != "" && e.Result.World != world
}

const (
	columns = "service, client, operation, idempotency_key, body_hash, body, reference, external_id, batch_id, file, " +
		"target, sent_hash, amount, currency, payee_name, payee_id, payee_label, payee_holder, payee_rail, payee_account, " +
		"outcome, world, subject, shown, accepted, state, problem, detail, attempts, began, changed, user, host, owner"

	// isOwn selects the entry of a write by that to which a service scopes keys, and the key: Intent.own.
	isOwn  = "idempotency_key = ?1 AND operation = ?2 AND service = ?3 AND client = ?4"
	isOpen = "outcome IN ('sending', 'unknown')"
)

// own are the arguments of isOwn.
func (i Intent) own() []any { return []any{i.Key, i.Operation, i.Service, i.Client} }

// errForged is returned for an entry that no version of the program writes. Its write could be sent twice if the entry
// were believed or left out.
var errForged = errors.New("it has an entry that payctl does not write")

// scan reads a row of columns.
func scan(row func(...any) error) (e Entry, err error) {
	var outcome, shown, accepted, began, changed string
	err = row(&e.Service, &e.Client, &e.Operation, &e.Key, &e.Fingerprint, &e.Body,
		&e.Reference, &e.ExternalID, &e.BatchID, &e.File,
		&e.Of, &e.SentHash, &e.Amount, &e.Currency,
		&e.Payee.Name, &e.Payee.ID, &e.Payee.Label, &e.Payee.Holder, &e.Payee.Rail, &e.Payee.Account,
		&outcome, &e.Intent.World, &e.Subject, &shown, &accepted, &e.State,
		&e.Problem, &e.Detail, &e.Attempts, &began, &changed, &e.User, &e.Host, &e.owner)
	if err != nil {
		return Entry{}, err
	}
	e.Outcome, e.Result.World, e.Accepted = Outcome(outcome), e.Intent.World, strings.Fields(accepted)
	var wrong [3]error
	e.Began, wrong[0] = time.Parse(time.RFC3339Nano, began)
	e.Changed, wrong[1] = time.Parse(time.RFC3339Nano, changed)
	if shown != "" {
		wrong[2] = json.Unmarshal([]byte(shown), &e.Shown)
	}
	known := []Outcome{OutcomeSending, OutcomeDone, OutcomeRefused, OutcomeNotSent, OutcomeUnknown, OutcomeClosed}
	if errors.Join(wrong[:]...) != nil || !slices.Contains(known, e.Outcome) {
		return Entry{}, errForged
	}
	return e, nil
}

// timeText is a time as the table has it. All have one length, so that they sort as their texts do.
func timeText(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000000Z") }
