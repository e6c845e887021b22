package outbox

import (
	"context"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

// isDuplicate reports whether an entry is that of another write with the external id of one that must be the only one.
// One with the same reference is the same payment.
func (w *Write[T]) isDuplicate(entry journal.Entry) bool {
	return w.FindDuplicate != nil && entry.Key != w.Intent.Key && entry.ExternalID == w.Intent.ExternalID &&
		(w.Intent.Reference == "" || entry.Reference != w.Intent.Reference)
}

// refuseDuplicate returns the error of a write that is not sent, because an entry of the journal has its external id; nil
// if what that entry made has it no more.
func refuseDuplicate[T any](ctx context.Context, w Write[T], entry journal.Entry) error {
	if entry.Outcome.Settled() {
		id, state := entry.Subject, entry.State
		if w.Read != nil && id != "" {
			if value, err := w.Read(ctx, id); err == nil { // otherwise the journal has to do
				if id, state = w.Identify(value); w.HasExternalID != nil && !w.HasExternalID(value) {
					return nil
				}
			}
		}
		return externalIDUsed(w.Intent, id, state)
	}
	value, found, err := w.FindDuplicate(ctx)
	switch {
	case err != nil:
		return notLookedUp(entry, err)
	case found:
		id, state := w.Identify(value)
		return externalIDUsed(w.Intent, id, state)
	}
	problem := entryProblem(payments.KindOutcomeUnknown, unknownEarlierTitle, entry,
		"was sent at %s with the external id %s, and no response came. The service does not show it yet. Nothing was sent now.",
		rfc3339(entry.Changed), payments.QuoteReference(entry.ExternalID))
	problem.Next = shell.Hint("payctl transfer resolve -- EXTERNAL-ID   (finds out what became of it; "+
		"to create another one all the same, add --allow-duplicate-external-id)", shell.Values{"EXTERNAL-ID": entry.ExternalID})
	return problem
}

// checkDuplicate returns an error if the service has something with the external id of a write that is about to be sent
// for the first time. A token that may create and not list is no error: then the journal alone protects.
func checkDuplicate[T any](ctx context.Context, o *Outbox, w Write[T]) error {
	value, found, err := w.FindDuplicate(ctx)
	switch {
	case payments.IsKind(err, payments.KindInsufficientScope):
		o.note("The service could not be asked whether the external id is used already, since the token may not list: " +
			"only what this machine has sent is known.")
		return nil
	case err != nil || !found:
		return err
	}
	id, state := w.Identify(value)
	return externalIDUsed(w.Intent, id, state)
}

// externalIDUsed describes an external id of the user's that belongs to something that exists.
func externalIDUsed(intent journal.Intent, id, state string) error {
	noun := "transfer"
	next := shell.Hint("payctl transfer get -- ID   (the existing one; to create another one all the same, add "+
		"--allow-duplicate-external-id, and to make a line repeatable, give --reference)", shell.Values{"ID": id})
	if intent.Operation == CreateAccountOperation {
		noun = "account"
		next = shell.Hint("payctl accounts get -- ID   (the existing one; to create another one all the same, add "+
			"--allow-duplicate-external-id)", shell.Values{"ID": id})
	}
	problem := payments.NewLocalProblem(payments.KindExternalIDUsed, nil, "The external id was used before.",
		"The external id %s belongs to the %s %s, which is %s. Nothing was sent.",
		payments.QuoteReference(intent.ExternalID), noun, id, state)
	problem.Next = next
	return &ExternalIDUsedError{ProblemError: problem, ID: id, State: state}
}
