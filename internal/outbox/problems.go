package outbox

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

const unknownEarlierTitle = "It is not known whether an earlier request took effect."

// A WriteError says why a write is not settled.
type WriteError struct {
	*payments.ProblemError

	// Differences are lines such as "amount: there 10.00, here 12.50" about something that is shown. They are nil if
	// nothing is shown or nothing is known. IsOther reports that it belongs to another write, or may.
	Differences []string
	IsOther     bool
	// IDs are the ids of several effects with one name, oldest first.
	IDs []string
	// IsUnanswered reports that the service could not be asked. Cause is why.
	IsUnanswered bool

	looksAlike bool // the service shows a name that only looks the same
}

// Unwrap returns the problem.
func (e *WriteError) Unwrap() error { return e.ProblemError }

// unknown describes a write whose outcome a person has to settle.
func (w *Write) unknown(cause error, title, format string, args ...any) *WriteError {
	problem := payments.NewLocalProblem(payments.ProblemOutcomeUnknown, cause, title, format, args...)
	problem.Next = resolveStep("--", w.Pending.Name(), "looks again; if you know: --accept, --resend or --dismiss")
	return &WriteError{ProblemError: problem}
}

// resolveStep is the command that settles the write with a name.
func resolveStep(flag, name, note string) []shell.Hint {
	return []shell.Hint{shell.Payctl("transfer resolve "+flag, name).With(note)}
}

// notRecorded describes a write that could not be recorded in the journal, and so was not sent.
func notRecorded(ctx context.Context, err error) error {
	if payments.IsProblem(err, payments.ProblemHeldBack) {
		return err
	}
	if errors.Is(ctx.Err(), context.Canceled) && errors.Is(err, context.Canceled) {
		return err
	}
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return payments.NewLocalProblem(payments.ProblemJournal, err, "The write was interrupted.",
			"It was interrupted before it was recorded in the journal. Nothing was sent.")
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return payments.NewLocalProblem(payments.ProblemTimeout, err, "There was no time left.",
			"The time was over before the write was recorded in the journal. Nothing was sent.")
	}
	return payments.NewLocalProblem(payments.ProblemJournal, err, "The write could not be recorded.",
		"%s Nothing was sent: a write that is not on the disk first could be lost, or made twice.",
		payments.Sentence(err.Error()))
}

// entryProblem describes a write that the journal has. The format continues "OPERATION with the idempotency key KEY".
func entryProblem(
	kind payments.ProblemType, title string, entry journal.Entry, format string, args ...any,
) *payments.ProblemError {
	args = append([]any{entry.Operation, entry.Key}, args...)
	return payments.NewLocalProblem(kind, nil, title, "%s with the idempotency key %s "+format, args...)
}

// beingSent describes a write that another program is still sending after the wait.
func beingSent(entry journal.Entry) error {
	return entryProblem(payments.ProblemBeingSent, "Another payctl is sending this.", entry,
		"has been under way since %s. Nothing was sent by this one. Run the same line again to see what became of it.",
		rfc3339(entry.Changed))
}

// alreadyDone describes a done write whose effect cannot be read or has changed.
func alreadyDone(entry journal.Entry, differences ...string) error {
	title, differs := "This was done before.", ""
	if len(differences) > 0 {
		title, differs = "This was done before, and has changed since.", " Now it differs:\n"+strings.Join(differences, "\n")
	}
	return entryProblem(payments.ProblemAlreadySent, title, entry,
		"was done at %s (%s). Nothing was sent now.%s", rfc3339(entry.Changed), cmp.Or(entry.Subject, entry.Service), differs)
}

// closedByPerson describes a write that a person has closed.
func closedByPerson(entry journal.Entry) error {
	problem := entryProblem(payments.ProblemClosed, "This was closed.", entry,
		"was closed at %s and is not sent again. Nothing was sent now.",
		rfc3339(entry.Changed))
	problem.Next = []shell.Hint{shell.Note("the line with another --idempotency-key sends it")}
	if entry.Body != nil { // of a transfer
		problem.Next = resolveStep("--resend --", entry.PendingWrite.Name(), "looks again, asks, and sends it")
	}
	return problem
}

// sentBefore describes a write that an earlier program sent, without a response.
func sentBefore(entry journal.Entry) error {
	problem := entryProblem(payments.ProblemOutcomeUnknown, unknownEarlierTitle, entry,
		"was sent at %s and no answer came.", rfc3339(entry.Began))
	problem.Reason = "the attempt of " + rfc3339(entry.Began) + " had no answer"
	return problem
}

// refusedAfterLost describes a write that was refused after an attempt without an answer.
func (w *Write) refusedAfterLost(refused error) error {
	return w.unknown(refused, unknownEarlierTitle,
		"No answer came to %s with the idempotency key %s. It was sent again, and refused: %s "+
			"The service does not show whether the first attempt took effect.",
		w.Pending.Operation, w.Pending.Key, payments.Sentence(refused.Error()))
}

// refusedUnseen describes a write that was refused, perhaps because it exists, and could not be looked up.
func (w *Write) refusedUnseen(refused, cause error) error {
	return w.unknown(refused, "It is not known whether this exists.",
		"The service refused %s: %s It could not be asked whether it has made this before: %s",
		w.Pending.Operation, payments.Sentence(refused.Error()), payments.Sentence(cause.Error()))
}

// stillUnknown describes a write that was sent before, may have taken effect, and must not be sent again.
func (w *Write) stillUnknown(entry journal.Entry) error {
	answered, otherKey := "", ""
	if entry.Subject != "" && w.creates() {
		answered = " It was answered with the id " + entry.Subject + "."
	}
	if entry.Reference != "" && entry.HasGivenKey() {
		otherKey = " If this line has another key, run it with that one: the service then knows the first attempt."
	}
	return w.unknown(nil, unknownEarlierTitle,
		"%s with the idempotency key %s was sent at %s.%s The service does not show what "+
			"became of it. Nothing was sent now.%s", entry.Operation, entry.Key, rfc3339(entry.Changed), answered, otherKey)
}

// notLookedUp describes a write that was sent before and could not be looked up. A cause that already says unknown
// stays.
func notLookedUp(entry journal.Entry, cause error) error {
	if payments.IsProblem(cause, payments.ProblemOutcomeUnknown) || payments.IsProblem(cause, payments.ProblemPaidTwice) {
		return cause
	}
	problem := entryProblem(payments.ProblemOutcomeUnknown, unknownEarlierTitle, entry,
		"was sent at %s, no answer came, and the service could not be asked what became of it: %s Nothing was sent now.",
		rfc3339(entry.Changed), payments.Sentence(cause.Error()))
	problem.Cause = errors.New(cause.Error()) // without the cause's own exit code
	if answered, ok := errors.AsType[*payments.ProblemError](cause); ok {
		problem.Cause, problem.Status = answered, answered.Status
	} else if errors.Is(cause, context.DeadlineExceeded) {
		problem.Cause = cause
	}
	return &WriteError{ProblemError: problem, IsUnanswered: true}
}

// tooSlow describes a write that was not sent because its checks expired each time before it could leave.
func tooSlow(pending journal.PendingWrite, cause error) error {
	return payments.NewLocalProblem(payments.ProblemTimeout, cause, "The service answers too slowly.",
		"Before %s with the idempotency key %s could be sent, its lookup had expired. "+
			"Nothing was sent.", pending.Operation, pending.Key)
}

// knownBy returns what names a write: its reference, external id or key. The kind is that of the problem if the name
// belongs to something else.
func (w *Write) knownBy() (what, value string, kind payments.ProblemType) {
	switch pending := w.Pending; {
	case pending.Reference != "":
		return "reference", pending.Reference, payments.ProblemReferenceReused
	case pending.ExternalID != "" && pending.ExternalID != journal.ExternalIDOf(pending.Operation, pending.Key):
		return "external id", pending.ExternalID, payments.ProblemExternalIDUsed
	default:
		return "idempotency key", pending.Key, payments.ProblemReferenceReused
	}
}

// otherContent describes a write whose name or key belongs to a done write with other content.
func (w *Write) otherContent(entry journal.Entry) error {
	what, _, kind := w.knownBy()
	if entry.PendingWrite.Name() != w.Pending.Name() {
		what = "idempotency key"
	}
	if what != "external id" {
		kind = payments.ProblemAlreadySent
	}
	return &WriteError{IsOther: !w.isTransfer(), ProblemError: entryProblem(kind,
		"The "+what+" belongs to another "+cmp.Or(w.Resource.Noun, "request")+".", entry,
		"was done with other content at %s (%s). Nothing was sent now.", rfc3339(entry.Changed),
		cmp.Or(entry.Subject, entry.Service))}
}

// belongsToAnother describes a write whose name belongs to something else.
func (w *Write) belongsToAnother(found finding) error {
	noun := w.Resource.Noun
	what, value, kind := w.knownBy()
	problem := payments.NewLocalProblem(kind, nil, "The "+what+" belongs to another "+noun+".",
		"The %s %s belongs to the %s %s, which differs. Nothing was changed.\n%s",
		what, payments.QuoteReference(value), noun, found.Subject, strings.Join(found.differences, "\n"))
	next := shell.Payctl("transfer get --", found.Subject).With("use another --" + strings.ReplaceAll(what, " ", "-") +
		" for another one")
	if noun != "transfer" && w.Pending.Of == "" {
		next = shell.Payctl(noun+"s update --",
			found.Subject).With("changes the existing one; use another external id for another one")
	}
	problem.Next = []shell.Hint{next}
	return &WriteError{ProblemError: problem, Differences: found.differences, IsOther: true}
}

// shownDifferently describes something that may be the effect of a write, and that the service shows differently.
func (w *Write) shownDifferently(found finding) error {
	problem := w.unknown(nil, "The service shows something else than was sent.",
		"It may be this one: the %s %s is shown differently. Nothing more was sent.\n%s", cmp.Or(w.Resource.Noun, "resource"),
		found.Subject, strings.Join(found.differences, "\n"))
	if _, isRewritten := found.Shown["reference"]; isRewritten {
		problem.Detail += "\nIf the service rewrites references, set references: PATTERN in the profile: " +
			"it refuses those that do not fit."
	}
	problem.Next = resolveStep("--accept --", w.Pending.Name(), "if it is this one")
	problem.Differences, problem.IsOther = found.differences, true
	return problem
}

// notProven describes an answer that does not prove the write. Cause is why a read failed. Nil means that the read
// shows too little.
func (w *Write) notProven(id string, cause error) error {
	named, shown := "The answer names no id.", "The service shows too little to prove it."
	if id != "" {
		named = "The answer names the id " + id + "."
	}
	if cause != nil {
		shown = "A read does not show it: " + payments.Sentence(cause.Error())
	}
	return w.unknown(cause, "The answer does not show that this was done.", "%s was sent. %s %s", w.Pending.Operation,
		named, shown)
}

// ofAnotherWrite describes an answer with an id that is the effect of another write.
func (w *Write) ofAnotherWrite(id string, other journal.Entry) error {
	return w.unknown(nil, "The answer shows the effect of another write.",
		"The service answered with the %s %s, which belongs to %s. It may take this for a repetition.",
		w.Resource.Noun, id, payments.QuoteReference(other.PendingWrite.Name()))
}

// effectGone describes a write that the journal has as done, and that the service no longer shows.
func (w *Write) effectGone(entry journal.Entry) error {
	problem := w.unknown(nil, "This was done before, and the service no longer shows it.",
		"%s with the idempotency key %s was done at %s (%s). It may have been deleted, the service may have been "+
			"restored from an older state, or another service may be at its address now. Nothing was sent now.",
		entry.Operation, entry.Key, rfc3339(entry.Changed), entry.Subject)
	problem.Next = resolveStep("--dismiss --", entry.PendingWrite.Name(),
		"if it is gone for good; then the line can be run again")
	if w.isTransfer() {
		problem.Next = resolveStep("--resend --", entry.PendingWrite.Name(), "looks again, asks, and sends it again")
	}
	return problem
}

// deletedSince describes a write that the service answers with an earlier effect that it no longer shows.
func (w *Write) deletedSince(id string) error {
	problem := w.unknown(nil, "The service repeats an earlier answer, and does not show its effect.",
		"It answered the idempotency key %s with the %s %s, and a read does not show that. "+
			"It may have been deleted, or is not shown yet. The service usually keeps a key for 24 hours.",
		w.Pending.Key, w.Resource.Noun, id)
	if !w.isTransfer() { // transfers cannot be deleted
		problem.Next = append(problem.Next, shell.Note("if it was deleted: the line with an --idempotency-key of your own"))
	}
	return problem
}

// nameUnclear describes something with the name of a write that shows too little, or with a name that only looks the
// same. The service may have changed it.
func (w *Write) nameUnclear(id, shown string) error {
	what, value, _ := w.knownBy()
	why := "it shows too little to be compared"
	if shown != value {
		why = payments.QuoteReference(value) + " was asked for. They differ in spaces, letter case or normal form"
	}
	problem := w.unknown(nil, "The service does not show whether this was done.",
		"The %s %s has the %s %s, and %s. Nothing was sent now.",
		w.Resource.Noun, id, what, payments.QuoteReference(shown), why)
	problem.looksAlike = shown != value
	return problem
}

// madeTwice describes a name with several effects.
func (w *Write) madeTwice(ids []string) error {
	what, value, _ := w.knownBy()
	last := ids[len(ids)-1]
	did, next := "it was paid more than once", append([]shell.Hint{
		shell.Payctl("transfer cancel --", last).With("if it still awaits its funds"),
	}, resolveStep("--accept --", value, "if both were meant")...)
	if !w.isTransfer() {
		did, next = "it was created more than once", []shell.Hint{shell.Payctl(w.Resource.Noun+"s get --", last)}
	}
	problem := payments.NewLocalProblem(payments.ProblemPaidTwice, nil, "The "+what+" has several "+w.Resource.Noun+"s.",
		"The %s %q belongs to the %ss %s: %s. Nothing more was sent.", what, value, w.Resource.Noun,
		strings.Join(ids, " and "), did)
	problem.Next = next
	return &WriteError{ProblemError: problem, IDs: ids}
}

// unchecked describes a done write whose list cannot be read. It may be done twice.
func (w *Write) unchecked(id string, cause error) error {
	did := "paid"
	if !w.isTransfer() {
		did = "created"
	}
	problem := w.unknown(cause, "It was done, and perhaps twice.",
		"It was %s as %s; it is not known whether another machine %s it too: %s", did, id, did,
		payments.Sentence(cause.Error()))
	problem.Next = []shell.Hint{shell.Note("run the same line again to check it")}
	return problem
}

// noList describes a creation that is not sent because nothing would tell what became of it.
func (w *Write) noList(cause error) error {
	op := w.Resource.List
	problem := payments.NewLocalProblem(payments.ProblemInvalidSettings, cause, "Nothing tells whether this is done.",
		"%s, assumed at %s %s, is not there for this client: %s The service is not known to honour idempotency keys either. "+
			"Nothing was sent: a lost answer could not be settled, and a second machine would not be noticed.",
		op.ID, op.Method, op.Path, payments.Sentence(cause.Error()))
	problem.Next = []shell.Hint{shell.Payctl("profile set PROFILE idempotency_keys honoured").
		With("if it does; or list_lag never, to send it unchecked")}
	return problem
}

// checkReference returns an error if the profile does not allow a reference, because the service would change it.
func (o *Outbox) checkReference(w *Write) error {
	reference := w.Pending.Reference
	if o.References == nil || reference == "" || o.References.MatchString(reference) {
		return nil
	}
	return payments.NewLocalProblem(payments.ProblemInvalidRequest, nil, "The reference does not fit.",
		"The reference %s does not match references: %s of the profile. Nothing was sent.",
		payments.QuoteReference(reference), o.References)
}

// asUnknown gives an unknown write an error of an unknown kind (rule 6). If only the key identifies the write, the next
// step names it.
func (w *Write) asUnknown(err error) error {
	for _, kind := range []payments.ProblemType{payments.ProblemOutcomeUnknown, payments.ProblemPaidTwice,
		payments.ProblemBeingSent} {
		if !payments.IsProblem(err, kind) {
			continue
		}
		problem, ok := errors.AsType[*payments.ProblemError](err)
		switch isOpen := ok && kind == payments.ProblemOutcomeUnknown && len(problem.Next) == 0; {
		case isOpen && w.Expect.State != "":
			problem.Next = []shell.Hint{shell.Note("run the same line again: canceling twice is harmless")}
		case isOpen && w.Pending.Key != "" && (!w.isFindable() || w.Expect.IsChange):
			problem.Next = []shell.Hint{shell.Note("run the same line again with --idempotency-key %s", w.Pending.Key)}
		}
		return err
	}
	unknown := w.unknown(err, unknownEarlierTitle, "%s with the idempotency key %s: %s",
		w.Pending.Operation, w.Pending.Key,
		payments.Sentence(err.Error()))
	if payments.IsProblem(err, payments.ProblemPayeeChanged) || payments.IsProblem(err, payments.ProblemAboveLimit) {
		held, _ := errors.AsType[*payments.ProblemError](err)
		unknown.Next = held.Next
	}
	return unknown
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }
