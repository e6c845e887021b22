package outbox

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// A Resolved write is an entry of the journal after the service was asked about it.
type Resolved struct {
	journal.Entry // its Detail says why the outcome is still open

	// Err is why the write is not settled: it is unknown or gone, or there are several effects. Nil means it is
	// settled.
	Err error
	// IsShown reports that the service shows something under its name or id. IsUnanswered reports that the service
	// could not be asked.
	IsShown, IsUnanswered bool

	id      string   // of the effect that is shown
	ids     []string // of several effects
	accepts journal.Ending
}

// IsAcceptedUnseen reports that only the word of a person says that the write happened.
func (r *Resolved) IsAcceptedUnseen() bool { return r.Subject == "" && len(r.Accepted) > 0 }

// acceptedDetail is the detail of an entry that a person has accepted.
const acceptedDetail = "Accepted."

// Lookup returns the journal's entries of writes. A write that it does not have gets an entry without an outcome.
func (o *Outbox) Lookup(ctx context.Context, writes []*Write) ([]journal.Entry, error) {
	intents := make([]journal.PendingWrite, len(writes))
	for i, w := range writes {
		intents[i] = w.Pending
	}
	return o.Journal.Lookup(ctx, intents...)
}

// writeOf describes the write of an entry, to look for its effect. If the journal does not keep the body, because of
// personal data, only the name is compared.
func writeOf(entry journal.Entry) *Write {
	key, body := payments.Idempotency{Key: entry.Key}, entry.Body
	if body == nil && entry.ExternalID != "" {
		body = encode(map[string]string{"externalId": entry.ExternalID})
	}
	var params []string
	if entry.Of != "" {
		params = []string{entry.Of}
	}
	w := newWrite(entry.Operation, key, body, params...)
	w.Expect.IsChange = false // the journal does not keep changes
	w.Pending, w.accepted = entry.PendingWrite, entry.Accepted
	return w
}

// Resolve asks the service what became of a write, open or not, and records what it shows. Nothing is sent.
func (o *Outbox) Resolve(ctx context.Context, entry journal.Entry) Resolved {
	w, resolved := writeOf(entry), Resolved{Entry: entry}
	var result effect.Result
	switch {
	case entry.Busy:
		resolved.Detail, resolved.Err = "Another payctl is sending it.", beingSent(entry)
		return resolved
	case entry.Outcome == effect.Done:
		var next step
		if result, next = o.confirm(ctx, w, entry); next == sendAgain {
			resolved.Detail = "It was undone since. Run its command again."
			return resolved
		}
	case entry.IsOpen(), entry.Outcome == journal.OutcomeClosed:
		result = o.findAgain(ctx, w, entry)
	default:
		return resolved
	}
	if result.IsDone() {
		result.Err = o.CheckMadeOnce(ctx, w, result)
	}
	problem, isProblem := errors.AsType[*payments.ProblemError](result.Err)
	reason := &WriteError{}
	errors.As(result.Err, &reason)
	resolved.ids = reason.IDs
	resolved.IsUnanswered = reason.IsUnanswered ||
		result.Err != nil && (!isProblem || !slices.Contains([]payments.ProblemType{
			payments.ProblemOutcomeUnknown, payments.ProblemPaidTwice, payments.ProblemAlreadySent,
		}, problem.ProblemType()))
	resolved.IsShown = result.IsDone() || reason.IsOther || reason.IDs != nil
	if resolved.Err = result.Err; payments.IsProblem(result.Err, payments.ProblemAlreadySent) {
		resolved.Err = nil // it is done, though it cannot be read or has changed
	}
	resolved.id = cmp.Or(result.Subject, entry.Subject)
	if entry.Outcome == journal.OutcomeSending { // its program has ended
		resolved.Outcome = effect.Unknown
	}
	switch {
	case result.IsDone():
		resolved.Ending = o.endingOf(result)
		resolved.Subject, resolved.Accepted = resolved.id, entry.Accepted
		switch resolved.Detail = ""; {
		case entry.Outcome == effect.Done && resolved.IsAcceptedUnseen():
			resolved.Detail = "Accepted. The service does not show it."
		case entry.Outcome == effect.Done:
			resolved.Detail = "The service shows it. Nothing was sent."
		}
	case isProblem:
		resolved.Detail = problem.Detail
	default:
		resolved.Detail = result.Err.Error()
	}
	return resolved
}

// Propose prepares Accept, with ids that a person names or with those that the service has shown. It reads the first
// id. The detail says what differs there.
func (o *Outbox) Propose(ctx context.Context, r Resolved, ids []string) (Resolved, error) {
	w := writeOf(r.Entry)
	if len(ids) == 0 {
		if ids = r.ids; len(ids) == 0 && r.id != "" {
			ids = []string{r.id}
		}
	}
	r.accepts = journal.Ending{Outcome: effect.Done, Accepted: ids, Detail: acceptedDetail, World: o.World()}
	for _, id := range ids {
		err := o.Journal.Each(ctx, journal.Filter{Text: id}, func(other journal.Entry) error {
			if other.Operation != r.Operation || other.Key == r.Key || other.Outcome != effect.Done ||
				other.Subject != id && !slices.Contains(other.Accepted, id) {
				return nil
			}
			return w.unknown(nil, "The id belongs to another write.", "The %s %s is that of %s.", w.Resource.Noun, id,
				payments.QuoteReference(other.PendingWrite.Name()))
		})
		if err != nil {
			return r, err
		}
	}
	if len(ids) == 0 || w.Resource.Get == nil {
		return r, nil
	}
	found, err := o.read(ctx, w, ids[0])
	if err != nil {
		r.Detail = payments.Sentence("the service does not show " + ids[0] + ": " + err.Error())
	} else {
		r.accepts.Subject, r.accepts.State, r.accepts.Shown = ids[0], found.State, found.Shown
	}
	if found.proof == different {
		r.Detail = payments.Sentence(ids[0] + " is shown differently: " + strings.Join(found.differences, "; "))
	}
	return r, nil
}

// Accept records that a write happened, as prepared by Propose.
func (o *Outbox) Accept(ctx context.Context, r Resolved) (journal.Entry, error) {
	return o.decided(ctx, r.Entry, r.accepts)
}

// Dismiss records that a write must never be sent again.
func (o *Outbox) Dismiss(ctx context.Context, r Resolved) (journal.Entry, error) {
	return o.decided(ctx, r.Entry, journal.Ending{Outcome: journal.OutcomeClosed, Detail: "Dismissed."})
}

// decided records a decision about a write, unless that has changed since it was seen.
func (o *Outbox) decided(ctx context.Context, seen journal.Entry, ending journal.Ending) (journal.Entry, error) {
	entry := seen
	entry.Replaces, entry.Ending = &seen, ending
	err := o.Journal.Record(ctx, []journal.Entry{entry})
	if errors.Is(err, journal.ErrMoved) {
		problem := entryProblem(payments.ProblemBeingSent, "Another payctl has sent or settled this.", entry,
			"has changed since it was shown. Nothing was recorded.")
		problem.Next = resolveStep("--", entry.PendingWrite.Name(), "shows it as it is now")
		err = problem
	}
	return entry, err
}

// ResendsIn returns how long to wait before an entry's write may be resent. It may be resent when a duration has passed
// since its last attempt.
func (o *Outbox) ResendsIn(entry journal.Entry, after time.Duration) time.Duration {
	if after == 0 {
		return 0
	}
	after += max(o.ListLag, 0)
	return min(max(after-elapsed(entry.Changed, o.Now()), 0), after) // the clock may have been set back
}

// Resend sends a transfer again after a person has decided that it did not happen.
func (o *Outbox) Resend(ctx context.Context, r Resolved) (journal.Entry, error) {
	entry := r.Entry
	w := newWrite(entry.Operation, payments.Idempotency{Key: entry.Key}, entry.Body)
	w.Pending, w.mode, w.began = entry.PendingWrite, journal.Anew, entry.Began
	w.Pending.Replaces = &r.Entry
	result := o.Submit(ctx, w)
	switch {
	case result.IsDone():
		result.Err = o.CheckMadeOnce(ctx, w, result)
	case result.Outcome == effect.NotSent: // the earlier attempt is as unknown as before (rule 6)
		result.Err = w.asUnknown(result.Err)
	}
	if result.Err != nil {
		return entry, result.Err
	}
	entry.Ending = o.endingOf(result)
	return entry, nil
}
