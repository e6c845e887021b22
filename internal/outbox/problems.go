package outbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

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

// notShown describes a write that is done, by a client that is not known, and whose effect the service does not show.
func notShown(entry journal.Entry, cause error) error {
	problem := entryProblem(payments.KindAlreadySent, "This was done before, and the service does not show it.", entry,
		"was done at %s (%s), with a token whose client is not known. If it was another client's, log in, so that the "+
			"two are told apart, or give each a PAYCTL_STATE_DIR of its own. Nothing was sent now.",
		rfc3339(entry.Changed), entry.Subject)
	problem.Cause = cause
	return problem
}

// sentBefore describes a write that an earlier program sent, without a response.
func sentBefore(entry journal.Entry) error {
	problem := entryProblem(payments.KindOutcomeUnknown, unknownEarlierTitle, entry,
		"was sent at %s and no answer came.", rfc3339(entry.Began))
	problem.Reason = "the attempt of " + rfc3339(entry.Began) + " had no answer"
	return problem
}

// A StillUnknownError says that a write was sent before, may have taken effect, and must not be sent again.
type StillUnknownError struct {
	*payments.ProblemError

	Left time.Duration // until it counts as not done if the service does not show it; zero if it never does
}

// Unwrap is the problem.
func (e *StillUnknownError) Unwrap() error { return e.ProblemError }

// closeFuture is what to do about a write that was recorded when the clock was far ahead of now.
const closeFuture = "payctl transfer resolve --after 0s   (the clock was set back since it was sent, so that its age is " +
	"not known; wait 15 minutes, and then it counts as not done)"

// stillUnknown describes a write that was sent before, may have taken effect, and must not be sent again. After the
// time that is left it counts as not done; zero if it never does.
func stillUnknown(entry journal.Entry, left time.Duration) error {
	problem := entryProblem(payments.KindOutcomeUnknown, unknownEarlierTitle, entry,
		"was sent at %s, no answer came, and the service does not show what became of it. Nothing was sent now.",
		rfc3339(entry.Changed))
	if entry.Reference != "" && entry.HasGivenKey() {
		problem.Detail += " If this line has another key, run it with that one: the service then knows the first attempt."
	}
	switch {
	case left > AbsentAfter+clockSlack:
		problem.Next, left = closeFuture, 0
	case left > 0:
		problem.Next = "run the same line again in " + roundUp(left) +
			": if the service does not show it by then, it counts as not done and is sent"
	}
	return &StillUnknownError{problem, left}
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

// otherContent describes a write whose key was used for a write with other content.
func otherContent(entry journal.Entry) error {
	return entryProblem(payments.KindAlreadySent, "The idempotency key belongs to another request.", entry,
		"was done with other content at %s (%s). Nothing was sent now.",
		rfc3339(entry.Changed), cmp.Or(entry.Subject, entry.Service))
}

// A ReferenceReusedError says that a reference, or a key, belongs to a transfer with other content.
type ReferenceReusedError struct {
	*payments.ProblemError

	Existing    payments.Transfer
	Differences []string // lines such as "amount: there 10.00, here 12.50"
}

// Unwrap is the problem.
func (e *ReferenceReusedError) Unwrap() error { return e.ProblemError }

// referenceReused describes a reference, or an idempotency key where the reference is empty, that belongs to a transfer
// with other content. Differences are lines such as "amount: there 10.00, here 12.50".
func referenceReused(reference string, existing payments.Transfer, differences []string) *payments.ProblemError {
	name, quoted := "reference", fmt.Sprintf(" %q", reference)
	next := "payctl transfer get -- TRANSFER   (use another --reference for another transfer)"
	if reference == "" {
		name, quoted = "idempotency key", ""
		next = "payctl transfer get -- TRANSFER   (use another --idempotency-key for another transfer)"
	}
	problem := payments.NewLocalProblem(payments.KindReferenceReused, nil,
		"The "+name+" was used for another transfer.", "The %s%s belongs to the transfer %s, which differs.\n%s",
		name, quoted, existing.ID, strings.Join(differences, "\n"))
	problem.Next = shell.Hint(next, shell.Values{"TRANSFER": existing.ID})
	return problem
}

// nearReference describes a transfer whose reference differs from the wanted one only in its form.
func nearReference(wanted, found string, transfer string) error {
	problem := payments.NewLocalProblem(payments.KindOutcomeUnknown, nil, "A transfer has nearly the same reference.",
		"The reference %q belongs to no transfer, but the transfer %s has %q, which differs only in case, spaces or normal "+
			"form. The service may have changed it. Nothing was sent now.", wanted, transfer, found)
	problem.Next = shell.Hint("payctl transfer get -- TRANSFER   (if it is another payment, use another reference)",
		shell.Values{"TRANSFER": transfer})
	return problem
}

// nearExternalID describes an account or contact, which noun names, whose external id differs from the wanted one only
// in its form. Next is what to do.
func nearExternalID(noun, next, wanted, found, id string) error {
	problem := payments.NewLocalProblem(payments.KindOutcomeUnknown, nil, "Another "+noun+" has nearly the same external id.",
		"The external id %s belongs to no %s, but %s has %s, which differs only in case, spaces or normal form. The service "+
			"may have changed it. Nothing was sent now.",
		payments.QuoteReference(wanted), noun, id, payments.QuoteReference(found))
	problem.Next = next
	return problem
}

// paidTwice describes a reference with several transfers.
func paidTwice(reference string, ids []string) error {
	problem := payments.NewLocalProblem(payments.KindPaidTwice, nil, "The reference has several transfers.",
		"The reference %q belongs to the transfers %s: it was paid more than once. Nothing more was sent.",
		reference, strings.Join(ids, " and "))
	problem.Next = shell.Hint("payctl transfer cancel -- TRANSFER   (if it still awaits its funds)",
		shell.Values{"TRANSFER": ids[len(ids)-1]})
	return problem
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }
