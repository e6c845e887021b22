package client

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// unjournalled is the failure of a write that could not be put down, and so was not sent.
func unjournalled(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return failure(payments.KindJournal, err, "The write was interrupted.",
			"It was interrupted before it was put down in the journal. Nothing was sent.")
	}
	return failure(payments.KindJournal, err, "The write could not be put down.",
		"%s Nothing was sent: a write that is not on the disk first could be lost, or made twice.", payments.Sentence(err.Error()))
}

// beingSent is the failure of a write that another program sends for longer than this one waits.
func beingSent(entry payments.JournalEntry) error {
	return failure(payments.KindBeingSent, nil, "Another payctl is sending this.",
		"%s with the idempotency key %s has been under way since %s. Nothing was sent by this one. Run the same line again to see what became of it.",
		entry.Operation, entry.Key, clock(entry.Changed))
}

// A keptError is why a call did not leave.
type keptError struct{ error }

// Unwrap gives errors.Is and errors.As the reason.
func (e *keptError) Unwrap() error { return e.error }

// sentBefore is what is known of a write that an earlier program sent, without an answer.
func sentBefore(entry payments.JournalEntry) error {
	f := failure(payments.KindOutcomeUnknown, nil, "It is not known whether an earlier request took effect.",
		"%s with the idempotency key %s was sent at %s and no answer came.", entry.Operation, entry.Key, clock(entry.Began))
	f.why = "the attempt of " + clock(entry.Began) + " had no answer"
	return f
}

// alreadySent is the failure of a write that was done before and cannot be read.
func alreadySent(entry payments.JournalEntry) error {
	return failure(payments.KindAlreadySent, nil, "This was done before.",
		"%s with the idempotency key %s was done at %s (%s). Nothing was sent now. Use another key for another effect.",
		entry.Operation, entry.Key, clock(entry.Changed), entry.Service)
}

// notSeen is the failure of a write that was done before, by a client that is not known, and that this one does not see.
func notSeen(entry payments.JournalEntry, err error) error {
	return failure(payments.KindAlreadySent, err, "This was done before, and the service does not show it.",
		"%s with the idempotency key %s was done at %s (%s), with a token whose client is not known. If it was another client's, log in, so that the two are told apart, or give each a PAYCTL_CONFIG_DIR of its own. Nothing was sent now.",
		entry.Operation, entry.Key, clock(entry.Changed), entry.Subject)
}

// otherContent is the failure of a write whose key belongs to another.
func otherContent(entry payments.JournalEntry) error {
	return failure(payments.KindAlreadySent, nil, "The idempotency key belongs to another request.",
		"%s with the idempotency key %s was done with other content at %s (%s). Nothing was sent now.",
		entry.Operation, entry.Key, clock(entry.Changed), cmp.Or(entry.Subject, entry.Service))
}

// ofAnother is the failure of a write whose reference or external id another transfer has; how says by what it is another.
func ofAnother(transfer payments.Transfer, how string) error {
	return failure(payments.KindAlreadySent, nil, "The reference belongs to another transfer.",
		"The reference belongs to the transfer %s, %s. Nothing was sent now.", transfer.ID, how)
}

// stillOpen is the failure of a write that was sent before and must not be sent again.
func stillOpen(entry payments.JournalEntry) error {
	return failure(payments.KindOutcomeUnknown, nil, "It is not known whether an earlier request took effect.",
		"%s with the idempotency key %s was sent at %s, no answer came, and the service does not show what became of it. Nothing was sent now.",
		entry.Operation, entry.Key, clock(entry.Changed))
}

func clock(t time.Time) string { return t.UTC().Format(time.RFC3339) }
