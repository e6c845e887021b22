package outbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

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
		"was done at %s (%s). Nothing was sent now. Use another key for another effect.",
		rfc3339(entry.Changed), entry.Service)
}

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

// stillUnknown describes a write that was sent before, may have taken effect, and must not be sent again. After the
// time that is left it counts as not done; zero if it never does.
func stillUnknown(entry journal.Entry, left time.Duration) error {
	problem := entryProblem(payments.KindOutcomeUnknown, unknownEarlierTitle, entry,
		"was sent at %s, no answer came, and the service does not show what became of it. Nothing was sent now.",
		rfc3339(entry.Changed))
	if entry.Reference != "" && entry.HasGivenKey() {
		problem.Detail += " If this line has another key, run it with that one: the service then knows the first attempt."
	}
	if left > 0 {
		problem.Next = "run the same line again in " + roundUp(left) +
			": if the service does not show it by then, it counts as not done and is sent"
	}
	return problem
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

// roundUp is a time that is left, in whole minutes, or in seconds if it is less than one.
func roundUp(left time.Duration) string {
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

// name is what a write is known by: its reference, its external id or its key, and the kind of problem if that belongs to
// something else.
func (w *Write) name() (what, value string, kind payments.Kind) {
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
	what, _, kind := w.name()
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
func (w *Write) belongsToAnother(document jsontext.Value, differences []string) error {
	id, _ := payments.Identify(document)
	noun := w.Resource.noun
	what, value, kind := w.name()
	problem := payments.NewLocalProblem(kind, nil, "The "+what+" belongs to another "+noun+".",
		"The %s %s belongs to the %s %s, which differs. Nothing was changed.\n%s",
		what, payments.QuoteReference(value), noun, id, strings.Join(differences, "\n"))
	next := "payctl transfer get -- ID   (use another --" + strings.ReplaceAll(what, " ", "-") + " for another one)"
	if noun != "transfer" && w.Intent.Of == "" {
		next = "payctl " + noun + "s update -- ID   (changes the existing one; use another external id for another one)"
	}
	problem.Next = shell.Hint(next, shell.Values{"ID": id})
	return &DifferentError{problem, differences}
}

// changedSince describes a write that is done and whose effect is not as it was any more. Cause says how it differs.
func changedSince(entry journal.Entry, cause error) error {
	problem := entryProblem(payments.KindAlreadySent, "This was done before, and has changed since.", entry,
		"was done at %s (%s). Nothing was sent now. Now it differs: %s Use another key for another effect.",
		rfc3339(entry.Changed), entry.Subject, payments.Sentence(cause.Error()))
	return problem
}

// effectGone describes a write that is done according to the journal, and whose effect the service does not show any more.
func effectGone(w *Write, entry journal.Entry) error {
	problem := entryProblem(payments.KindOutcomeUnknown, "This was done before, and the service does not show it any more.",
		entry, "was done at %s (%s). It may have been deleted, the service may have been restored from an older state, or another "+
			"service may be at its address now. Nothing was sent now.", rfc3339(entry.Changed), entry.Subject)
	name := cmp.Or(entry.Reference, entry.ExternalID, entry.Key)
	values := shell.Values{"NAME": name}
	problem.Next = shell.Hint("payctl transfer resolve --dismiss -- NAME   (if it is gone for good; then the line can be "+
		"run again)", values)
	if w.Intent.Operation == CreateAutoTransferOperation {
		problem.Next = shell.Hint("payctl transfer resolve --resend -- NAME   (looks again, asks, and sends it again)", values)
	}
	return problem
}

// deletedSince describes a write that the service answers with what it made before, which is there no more.
func deletedSince(w *Write, id string) error {
	_, _, kind := w.name()
	problem := payments.NewLocalProblem(kind, nil, "This was created before, and deleted since.",
		"The external id %s stands for the %s %s, which is there no more, as long as the service keeps the idempotency key %s "+
			"(24 hours as a rule). Nothing was created.",
		payments.QuoteReference(w.Intent.ExternalID), w.Resource.noun, id, w.Intent.Key)
	problem.Next = "run the line with an --idempotency-key of your own, or with another external id"
	return problem
}

// cannotTell describes something that has the reference or the external id of a write, and does not show whether it is
// the same: it shows too little, or the text in another form, which the service may have changed.
func cannotTell(w *Write, id string) error {
	what, value, _ := w.name()
	problem := payments.NewLocalProblem(payments.KindOutcomeUnknown, nil,
		"The service does not show whether this was done.",
		"The %s %s has the %s %s, perhaps with other spaces, letter case or normal form, and it cannot be compared with what was "+
			"asked for. Nothing was sent now.", w.Resource.noun, id, what, payments.QuoteReference(value))
	problem.Next = shell.Hint("payctl "+w.Resource.noun+"s get -- ID   (if it is another one, use another "+what+")",
		shell.Values{"ID": id})
	return problem
}

// paidTwice describes a reference with several transfers.
func paidTwice(reference string, newestFirst []jsontext.Value) error {
	var ids []string // oldest first
	for _, document := range slices.Backward(newestFirst) {
		ids = append(ids, payments.Text(document, "id"))
	}
	problem := payments.NewLocalProblem(payments.KindPaidTwice, nil, "The reference has several transfers.",
		"The reference %q belongs to the transfers %s: it was paid more than once. Nothing more was sent.",
		reference, strings.Join(ids, " and "))
	problem.Next = shell.Hint("payctl transfer cancel -- TRANSFER   (if it still awaits its funds)",
		shell.Values{"TRANSFER": ids[len(ids)-1]})
	return problem
}

// asPaidTwice returns an error that says that a reference has several transfers; nil for any other error.
func asPaidTwice(err error) error {
	if payments.IsKind(err, payments.KindPaidTwice) {
		return err
	}
	return nil
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }
