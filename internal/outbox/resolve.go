package outbox

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// ResolveOptions are the options of Resolve.
type ResolveOptions struct {
	After   time.Duration // how long after it was sent a write that the service does not show counts as not done
	Resend  bool          // send a transfer again if the service does not show it and it counts as not done
	Dismiss bool          // close a write that cannot be looked up, or whose effect is gone
}

// A Resolved write is an entry of the journal after Resolve.
type Resolved struct {
	journal.Entry // its Detail says why the outcome is still open

	Hidden bool // it cannot be looked up
	// PaidTwice names all transfers that the service has for the reference; nil if there is at most one.
	PaidTwice error
}

// Lookup returns what the journal has about writes; an entry without an outcome if it has nothing.
func (o *Outbox) Lookup(ctx context.Context, writes []*Write) ([]journal.Entry, error) {
	intents := make([]journal.Intent, len(writes))
	for i, w := range writes {
		intents[i] = w.Intent
	}
	return o.Journal.Lookup(ctx, intents...)
}

// writeOf describes the write of an entry, to look for its effect. Without its body, which holds personal data, only what
// it is searched by is compared.
func writeOf(entry journal.Entry) *Write {
	key, body := payments.Idempotency{Key: entry.Key}, entry.Body
	if body == nil && entry.ExternalID != "" {
		body = encode(map[string]string{"externalId": entry.ExternalID})
	}
	var params []string
	if entry.Of != "" && entry.Operation != CreateAutoTransferOperation {
		params = []string{entry.Of}
	}
	w := newWrite(entry.Operation, key, body, params...)
	w.Request.Expect.IsChange = false // nothing is known of a change
	w.Intent, entry.Of = entry.Intent, w.Intent.Of
	w.Intent.Of = entry.Of
	return w
}

// Resolve finds out what became of a write, and records it: of an open one, or with Resend and Dismiss of one that was
// done and whose effect is gone.
func (o *Outbox) Resolve(ctx context.Context, entry journal.Entry, options ResolveOptions) (Resolved, error) {
	w, found, hidden := writeOf(entry), lookup{}, ""
	if entry.Outcome == journal.OutcomeDone {
		outcome := o.confirm(ctx, w, entry)
		problem, isProblem := errors.AsType[*payments.ProblemError](outcome.Err)
		switch {
		case outcome.IsDone():
			entry.Subject, entry.State = cmp.Or(outcome.Subject, entry.Subject), outcome.State
			return withDetail(entry, "The service shows it. Nothing was sent."), nil
		case !isProblem || problem.Kind() != payments.KindOutcomeUnknown && problem.Kind() != payments.KindAlreadySent:
			return Resolved{Entry: entry}, outcome.Err
		}
		hidden, entry.Outcome = problem.Detail, journal.OutcomeUnknown
	}
	var err error
	if w.isFindable() {
		found, err = o.find(ctx, w)
	} else if hidden == "" {
		hidden = "It cannot be looked up; check it at the service, and then --dismiss it."
	}
	paidTwice := asPaidTwice(err) // one of the transfers is the write's own
	switch {
	case paidTwice != nil:
		found.Outcome = payments.Outcome{Verdict: payments.Done, Subject: entry.Subject}
	case payments.IsKind(err, payments.KindOutcomeUnknown):
		problem, _ := errors.AsType[*payments.ProblemError](err)
		hidden = problem.Detail
	case isOfOneWrite(err) && !options.Dismiss:
		return withDetail(entry, "The service did not answer about it: "+err.Error()), nil
	case isOfOneWrite(err):
		hidden = err.Error()
	case err != nil:
		return Resolved{Entry: entry}, err
	case found.other:
		different, _ := errors.AsType[*DifferentError](found.Err)
		hidden = "Its reference or external id belongs to " + found.Subject + ", which differs: " +
			strings.Join(different.Differences, "; ") + ". Run the command of this one again, or --dismiss it."
	case found.absent && !options.Dismiss:
		hidden = ""
	case hidden == "" && !found.IsDone() && !found.absent:
		hidden = "What the service shows proves neither that it was done nor that it was not; check it, and then --dismiss it."
	}
	resolved, wait := entry, options.After+o.ListLag-elapsed(entry.Changed, o.Now())
	switch {
	case found.IsDone():
		resolved.Result = journal.Result{Outcome: journal.OutcomeDone, Subject: found.Subject, State: found.State}
	case hidden != "" && options.Dismiss:
		resolved.Result = journal.Result{Outcome: journal.OutcomeAbsent, Detail: "Dismissed."}
	case hidden != "":
		resolved.Detail = hidden
		return Resolved{Entry: resolved, Hidden: entry.IsOpen()}, nil
	case wait > 0 && options.After > 0:
		return withDetail(entry, "The service does not show it yet, and it may still arrive. Run this again in "+roundUp(wait)+
			"; only if it certainly cannot arrive any more, add --after 0s."), nil
	default:
		resolved.Result = journal.Result{Outcome: journal.OutcomeAbsent, Detail: notShownDetail}
	}
	err = o.Journal.Record(ctx, []journal.Entry{resolved})
	switch {
	case errors.Is(err, journal.ErrOthers), errors.Is(err, journal.ErrMoved):
		return withDetail(entry, payments.Sentence(err.Error())), nil
	case err != nil:
		return Resolved{Entry: entry}, err
	}
	if options.Resend && resolved.Outcome == journal.OutcomeAbsent && entry.Body != nil {
		return o.sendAnew(ctx, entry)
	}
	return Resolved{Entry: resolved, PaidTwice: paidTwice}, nil
}

func withDetail(entry journal.Entry, detail string) Resolved {
	entry.Detail = detail
	return Resolved{Entry: entry}
}

// isOfOneWrite reports whether the service refused to answer about one write but may answer about others.
func isOfOneWrite(err error) bool {
	const clientError, unauthorized, forbidden, tooManyRequests = 4, 401, 403, 429 // RFC 9110 section 15.5
	problem, ok := errors.AsType[*payments.ProblemError](err)
	return ok && problem.Status/100 == clientError && problem.Status != unauthorized && problem.Status != forbidden &&
		problem.Status != tooManyRequests
}

// sendAnew submits the transfer of an entry that does not count any more.
func (o *Outbox) sendAnew(ctx context.Context, entry journal.Entry) (Resolved, error) {
	w := newWrite(CreateAutoTransferOperation, payments.Idempotency{Key: entry.Key}, entry.Body)
	outcome := o.Submit(ctx, w)
	if outcome.IsDone() {
		outcome.Err = o.CheckPaidOnce(ctx, w)
	}
	if outcome.Err != nil {
		return Resolved{Entry: entry}, outcome.Err
	}
	entry.Result = journal.Result{Outcome: journal.OutcomeDone, Subject: outcome.Subject, State: outcome.State}
	return Resolved{Entry: entry}, nil
}
