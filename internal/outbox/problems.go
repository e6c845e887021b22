package outbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

const unknownEarlierTitle = "It is not known whether an earlier request took effect."

// notRecorded describes a write that could not be recorded in the journal, and so was not sent.
func notRecorded(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return payments.NewLocalProblem(payments.KindJournal, err, "The write was interrupted.",
			"It was interrupted before it was recorded in the journal. Nothing was sent.")
	}
	return payments.NewLocalProblem(payments.KindJournal, err, "The write could not be recorded.",
		"%s Nothing was sent: a write that is not on the disk first could be lost, or made twice.",
		payments.Sentence(err.Error()))
}

// entryProblem describes a write that the journal knows already; the detail continues "OPERATION with the idempotency
// key KEY".
func entryProblem(
	kind payments.Kind, title string, entry journal.Entry, format string, args ...any,
) *payments.ProblemError {
	args = append([]any{entry.Operation, entry.Key}, args...)
	return payments.NewLocalProblem(kind, nil, title, "%s with the idempotency key %s "+format, args...)
}

// beingSent describes a write that another program has been sending for longer than this one waits.
func beingSent(entry journal.Entry) error {
	return entryProblem(payments.KindBeingSent, "Another payctl is sending this.", entry,
		"has been under way since %s. Nothing was sent by this one. Run the same line again to see what became of it.",
		rfc3339(entry.Changed))
}

// alreadyDone describes a write that is done and whose effect cannot be read.
func alreadyDone(entry journal.Entry) error {
	return entryProblem(payments.KindAlreadySent, "This was done before.", entry,
		"was done at %s (%s). Nothing was sent now.", rfc3339(entry.Changed), entry.Service)
}

// isClosed describes a write that a person has closed.
func isClosed(entry journal.Entry) error {
	problem := entryProblem(payments.KindClosed, "This was closed.", entry, "was closed at %s and is not sent again. Nothing was sent now.",
		rfc3339(entry.Changed))
	problem.Next = shell.Hint("payctl transfer resolve --resend -- NAME   (looks again, asks, and sends it)",
		shell.Values{"NAME": nameOf(entry)})
	return problem
}

// nameOf is what a person gives to resolve for an entry.
func nameOf(entry journal.Entry) string { return cmp.Or(entry.Reference, entry.ExternalID, entry.Key) }

// sentBefore describes a write that an earlier program sent, without a response.
func sentBefore(entry journal.Entry) error {
	problem := entryProblem(payments.KindOutcomeUnknown, unknownEarlierTitle, entry,
		"was sent at %s and no answer came.", rfc3339(entry.Began))
	problem.Reason = "the attempt of " + rfc3339(entry.Began) + " had no answer"
	return problem
}

// refusedAfterLost describes a write that was refused after an attempt of which no answer came.
func refusedAfterLost(intent journal.Intent, refused error) error {
	if payments.IsKind(refused, payments.KindPaidTwice) {
		return refused
	}
	return payments.NewLocalProblem(payments.KindOutcomeUnknown, refused, unknownEarlierTitle,
		"No answer came to %s with the idempotency key %s. It was sent again, and refused: %s The service does not show whether "+
			"the first attempt took effect.", intent.Operation, intent.Key, payments.Sentence(refused.Error()))
}

// stillUnknown describes a write that was sent before, may have taken effect, and must not be sent again.
func stillUnknown(w *Write, entry journal.Entry) error {
	problem := entryProblem(payments.KindOutcomeUnknown, unknownEarlierTitle, entry,
		"was sent at %s. The service does not show what became of it. Nothing was sent now.", rfc3339(entry.Changed))
	if entry.Subject != "" && w.creates() {
		problem.Detail = strings.TrimSuffix(problem.Detail, "Nothing was sent now.") +
			"It was answered with the id " + entry.Subject + ". Nothing was sent now."
	}
	if entry.Reference != "" && entry.HasGivenKey() {
		problem.Detail += " If this line has another key, run it with that one: the service then knows the first attempt."
	}
	problem.Next = settledByPerson(nameOf(entry))
	if !w.isFindable() && !w.creates() || w.Expect.IsChange {
		problem.Next = shell.Hint("run the same line again with --idempotency-key KEY", shell.Values{"KEY": entry.Key})
	}
	return problem
}

// settledByPerson is the next step for a write that payctl cannot settle.
func settledByPerson(name string) string {
	return shell.Hint("payctl transfer resolve -- NAME   (looks again; if you know: --accept, --resend or --dismiss)",
		shell.Values{"NAME": name})
}

// A NotLookedUpError says that a write was sent before, and that the service could not be asked what became of it.
type NotLookedUpError struct {
	*payments.ProblemError // its Cause is the error of the lookup
}

// Unwrap is the problem.
func (e *NotLookedUpError) Unwrap() error { return e.ProblemError }

// notLookedUp describes a write that was sent before and could not be looked up. What the service shows of other
// transfers remains the error.
func notLookedUp(entry journal.Entry, cause error) error {
	if payments.IsKind(cause, payments.KindOutcomeUnknown) || payments.IsKind(cause, payments.KindPaidTwice) {
		return cause
	}
	problem := entryProblem(payments.KindOutcomeUnknown, unknownEarlierTitle, entry,
		"was sent at %s, no answer came, and the service could not be asked what became of it: %s Nothing was sent now.",
		rfc3339(entry.Changed), payments.Sentence(cause.Error()))
	problem.Cause = cause
	return &NotLookedUpError{problem}
}

// tooSlow describes a write that was not sent because each time what was known had expired before it could leave.
func tooSlow(intent journal.Intent, cause error) error {
	return payments.NewLocalProblem(payments.KindTimeout, cause, "The service answers too slowly.",
		"Before %s with the idempotency key %s could be sent, it was too long ago that the service was asked for it. "+
			"Nothing was sent.", intent.Operation, intent.Key)
}

// RoundUp is a time that is left, in whole minutes, or in seconds if it is less than one.
func RoundUp(left time.Duration) string {
	unit, name := time.Minute, "minute"
	if left < time.Minute {
		unit, name = time.Second, "second"
	}
	count := int64((left + unit - 1) / unit)
	if count != 1 {
		name += "s"
	}
	return fmt.Sprintf("%d %s", count, name)
}

// knownBy is what a write is known by: its reference, its external id or its key, and the kind of problem if that belongs to
// something else.
func (w *Write) knownBy() (what, value string, kind payments.Kind) {
	switch intent := w.Intent; {
	case intent.Reference != "":
		return "reference", intent.Reference, payments.KindReferenceReused
	case intent.ExternalID != "" && intent.Key == journal.ReferenceKey(intent.Operation, intent.ExternalID):
		return "external id", intent.ExternalID, payments.KindExternalIDUsed
	default:
		return "idempotency key", intent.Key, payments.KindReferenceReused
	}
}

// otherContent describes a write whose key, reference or external id belongs to one that was done with other content.
func (w *Write) otherContent(entry journal.Entry) error {
	what, _, kind := w.knownBy()
	if kind != payments.KindExternalIDUsed {
		kind = payments.KindAlreadySent
	}
	problem := entryProblem(kind, "The "+what+" belongs to another "+cmp.Or(w.Resource.noun, "request")+".", entry,
		"was done with other content at %s (%s). Nothing was sent now.", rfc3339(entry.Changed), cmp.Or(entry.Subject, entry.Service))
	if w.Resource.noun == "transfer" {
		return problem
	}
	return &DifferentError{problem, nil}
}

// A DifferentError says that a key, a reference or an external id belongs to something with other content.
type DifferentError struct {
	*payments.ProblemError

	Differences []string // lines such as "amount: there 10.00, here 12.50"; nil if they are not known
}

// Unwrap is the problem.
func (e *DifferentError) Unwrap() error { return e.ProblemError }

// belongsToAnother describes what has the reference, the key or the external id of a write, and is something else.
func (w *Write) belongsToAnother(found finding) error {
	noun := w.Resource.noun
	what, value, kind := w.knownBy()
	problem := payments.NewLocalProblem(kind, nil, "The "+what+" belongs to another "+noun+".",
		"The %s %s belongs to the %s %s, which differs. Nothing was changed.\n%s",
		what, payments.QuoteReference(value), noun, found.Subject, strings.Join(found.differences, "\n"))
	next := "payctl transfer get -- ID   (use another --" + strings.ReplaceAll(what, " ", "-") + " for another one)"
	if noun != "transfer" && w.Intent.Of == "" {
		next = "payctl " + noun + "s update -- ID   (changes the existing one; use another external id for another one)"
	}
	problem.Next = shell.Hint(next, shell.Values{"ID": found.Subject})
	return &DifferentError{problem, found.differences}
}

// shownDifferently describes something that may be the effect of a write, and that the service shows differently. What the
// write is known by stays its name until that is settled.
func shownDifferently(w *Write, found finding) error {
	problem := payments.NewLocalProblem(payments.KindOutcomeUnknown, nil, "The service shows something else than was sent.",
		"It may be this one: the %s %s is shown differently. Nothing more was sent.\n%s", cmp.Or(w.Resource.noun, "resource"),
		found.Subject, strings.Join(found.differences, "\n"))
	if _, isRewritten := found.Shown["reference"]; isRewritten {
		problem.Detail += "\nIf the service rewrites references, set references: PATTERN in the profile: it refuses those that do not fit."
	}
	name := cmp.Or(w.Intent.Reference, w.Intent.ExternalID, w.Intent.Key)
	problem.Next = shell.Hint("payctl transfer resolve --accept -- NAME   (if it is this one)", shell.Values{"NAME": name})
	return &DifferentError{problem, found.differences}
}

// notProven describes an answer that does not show that a write was done. Cause is why a read or a lookup did not show it
// either; nil means that they show too little.
func notProven(w *Write, answer finding, cause error) error {
	const title = "The answer does not show that this was done."
	detail := "The answer names no id."
	if answer.Subject != "" {
		detail = "The answer names the id " + answer.Subject + "."
	}
	if cause != nil {
		detail += " A read does not show it: " + payments.Sentence(cause.Error())
	} else {
		detail += " What the service shows there does not prove it."
	}
	problem := payments.NewLocalProblem(payments.KindOutcomeUnknown, cause, title, "%s %s", w.Intent.Operation+" was sent.", detail)
	problem.Next = settledByPerson(cmp.Or(w.Intent.Reference, w.Intent.ExternalID, w.Intent.Key))
	return problem
}

// ofAnotherWrite describes an answer with an id that is the effect of another write.
func ofAnotherWrite(w *Write, id string, other journal.Entry) error {
	problem := payments.NewLocalProblem(payments.KindOutcomeUnknown, nil, "The answer shows the effect of another write.",
		"The service answered with the %s %s, which is that of %s. It may take this for a repetition.",
		w.Resource.noun, id, payments.QuoteReference(nameOf(other)))
	problem.Next = settledByPerson(cmp.Or(w.Intent.Reference, w.Intent.ExternalID, w.Intent.Key))
	return problem
}

// changedSince describes a write that is done and whose effect is not as it was any more.
func changedSince(entry journal.Entry, found finding) error {
	return entryProblem(payments.KindAlreadySent, "This was done before, and has changed since.", entry,
		"was done at %s (%s). Nothing was sent now. Now it differs:\n%s", rfc3339(entry.Changed), entry.Subject,
		strings.Join(found.differences, "\n"))
}

// effectGone describes a write that is done according to the journal, and whose effect the service does not show any more.
func effectGone(w *Write, entry journal.Entry) error {
	problem := entryProblem(payments.KindOutcomeUnknown, "This was done before, and the service does not show it any more.",
		entry, "was done at %s (%s). It may have been deleted, the service may have been restored from an older state, or another "+
			"service may be at its address now. Nothing was sent now.", rfc3339(entry.Changed), entry.Subject)
	values := shell.Values{"NAME": nameOf(entry)}
	problem.Next = shell.Hint("payctl transfer resolve --dismiss -- NAME   (if it is gone for good; then the line can be "+
		"run again)", values)
	if w.Intent.Operation == CreateAutoTransferOperation {
		problem.Next = shell.Hint("payctl transfer resolve --resend -- NAME   (looks again, asks, and sends it again)", values)
	}
	return problem
}

// deletedSince describes a write that the service answers with what it made before, which is there no more.
func deletedSince(w *Write, id string) error {
	_, _, kind := w.knownBy()
	problem := payments.NewLocalProblem(kind, nil, "This was created before, and deleted since.",
		"The external id %s stands for the %s %s, which is there no more, as long as the service keeps the idempotency key %s "+
			"(24 hours as a rule). Nothing was created.",
		payments.QuoteReference(w.Intent.ExternalID), w.Resource.noun, id, w.Intent.Key)
	problem.Next = "run the line with an --idempotency-key of your own, or with another external id"
	return problem
}

// looksAlike describes something whose reference or external id only looks like that of a write: the service may have
// changed it.
func looksAlike(w *Write, id, shown string) error {
	what, value, _ := w.knownBy()
	problem := payments.NewLocalProblem(payments.KindOutcomeUnknown, nil, "The service does not show whether this was done.",
		"The %s %s has the %s %s, and %s was asked for. They differ in spaces, letter case or normal form. Nothing was sent now.",
		w.Resource.noun, id, what, payments.QuoteReference(shown), payments.QuoteReference(value))
	problem.Next = shell.Hint("payctl transfer resolve --resend -- NAME   (if it is another one; or --accept ID)",
		shell.Values{"NAME": value})
	if !w.isTransfer() {
		problem.Next = shell.Hint("payctl "+w.Resource.noun+"s get -- ID", shell.Values{"ID": id})
	}
	return &lookalikeError{problem}
}

// A lookalikeError says that a lookup shows a name that only looks like the one that was looked for.
type lookalikeError struct{ *payments.ProblemError }

// Unwrap is the problem.
func (e *lookalikeError) Unwrap() error { return e.ProblemError }

// showsTooLittle describes something that has the reference or the external id of a write, and does not show more of it.
func showsTooLittle(w *Write, id string) error {
	what, value, _ := w.knownBy()
	problem := payments.NewLocalProblem(payments.KindOutcomeUnknown, nil, "The service does not show whether this was done.",
		"The %s %s has the %s %s, and shows too little to be compared. Nothing was sent now.",
		w.Resource.noun, id, what, payments.QuoteReference(value))
	problem.Next = settledByPerson(value)
	return problem
}

// madeTwice describes a reference or an external id with several effects; ids are the oldest first.
func (o *Outbox) madeTwice(w *Write, ids []string) error {
	what, value, _ := w.knownBy()
	title, did := "The "+what+" has several "+w.Resource.noun+"s.", "it was paid more than once"
	next := "payctl transfer cancel -- ID   (if it still awaits its funds; or payctl transfer resolve --accept NAME)"
	if !w.isTransfer() {
		did, next = "it was created more than once", "payctl "+w.Resource.noun+"s get -- ID"
	}
	problem := payments.NewLocalProblem(payments.KindPaidTwice, nil, title, "The %s %q belongs to the %ss %s: %s. Nothing more was sent.",
		what, value, w.Resource.noun, strings.Join(ids, " and "), did)
	problem.Next = shell.Hint(next, shell.Values{"ID": ids[len(ids)-1], "NAME": value})
	return &TwiceError{problem, ids}
}

// A TwiceError says that a reference or an external id has several effects.
type TwiceError struct {
	*payments.ProblemError

	IDs []string
}

// Unwrap is the problem.
func (e *TwiceError) Unwrap() error { return e.ProblemError }

// uncheckedError describes a write that is done, while the list that shows whether it was done twice cannot be read.
func uncheckedError(w *Write, id string, cause error) error {
	what := "paid"
	if !w.isTransfer() {
		what = "created"
	}
	problem := payments.NewLocalProblem(payments.KindOutcomeUnknown, cause, "It was done, and perhaps twice.",
		"It was %s as %s; it is not known whether another machine %s it too: %s", what, id, what, payments.Sentence(cause.Error()))
	problem.Next = "run the same line again, which checks it"
	return problem
}

// noList describes a creation that is not sent since nothing would tell what became of it.
func noList(w *Write, cause error) error {
	op := contract.Find(w.Resource.list)
	problem := payments.NewLocalProblem(payments.KindInvalidSettings, cause, "Nothing tells whether this is done.",
		"%s, assumed at %s %s, is not there for this client: %s The service is not known to honour idempotency keys either. "+
			"Nothing was sent: a lost answer could not be settled, and a second machine would not be noticed.",
		op.ID, op.Method, op.Path, payments.Sentence(cause.Error()))
	problem.Next = shell.Hint("payctl profile set PROFILE idempotency_keys honoured   (if it does; or list_lag never, to send all the same)",
		shell.Values{})
	return problem
}

// rewritesReference describes a reference that the profile says the service would not keep.
func rewritesReference(reference string, pattern *regexp.Regexp) error {
	return payments.NewLocalProblem(payments.KindInvalidRequest, nil, "The reference does not fit.",
		"The reference %s does not match references: %s of the profile. Nothing was sent.", payments.QuoteReference(reference), pattern)
}

// asUnknown makes the error of an unknown write one that says so, whatever its kind (rule 6). If only its key identifies
// the write, the next step names the key.
func asUnknown(w *Write, err error) error {
	for _, kind := range []payments.Kind{payments.KindOutcomeUnknown, payments.KindPaidTwice, payments.KindBeingSent} {
		if !payments.IsKind(err, kind) {
			continue
		}
		problem, ok := errors.AsType[*payments.ProblemError](err)
		if ok && kind == payments.KindOutcomeUnknown && problem.Next == "" && w.Intent.Key != "" &&
			(!w.isFindable() || w.Expect.IsChange) {
			problem.Next = shell.Hint("run the same line again with --idempotency-key KEY", shell.Values{"KEY": w.Intent.Key})
		}
		return err
	}
	problem := payments.NewLocalProblem(payments.KindOutcomeUnknown, err, unknownEarlierTitle, "%s with the idempotency key %s: %s",
		w.Intent.Operation, w.Intent.Key, payments.Sentence(err.Error()))
	problem.Next = settledByPerson(cmp.Or(w.Intent.Reference, w.Intent.ExternalID, w.Intent.Key))
	return problem
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }
