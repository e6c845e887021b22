package outbox

import (
	"context"
	"errors"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// A step is what is done next about a write for which the journal has an entry.
type step uint8

const (
	finish        step = iota // its outcome is known
	waitForSender             // another program is sending it
	takeOver                  // it is sent again, with the same key
	claimAgain                // the entry does not stand in its way any more
)

// decide does what the entry that stands in a write's way asks for. docs/EXACTLY-ONCE.md shows the cases as a table.
func (o *Outbox) decide(ctx context.Context, w *Write, entry journal.Entry) (payments.Outcome, step) {
	isSame := entry.Fingerprint == w.Intent.Fingerprint
	switch {
	case entry.Busy:
		return payments.Outcome{}, waitForSender
	case entry.Outcome == journal.OutcomeDone && isSame:
		return o.confirm(ctx, w, entry), finish
	case entry.Outcome == journal.OutcomeDone:
		return o.compareWithDone(ctx, w, entry), finish
	case isSame && entry.Key == w.Intent.Key && o.mayRepeat(ctx, w.Intent, entry.Began):
		return payments.Outcome{}, takeOver
	}
	return o.findAgain(ctx, w, entry)
}

// confirm looks at the effect of a write that is done according to the journal. It may be gone, or the identifier may be
// another's now: the service may have been restored from a backup.
func (o *Outbox) confirm(ctx context.Context, w *Write, entry journal.Entry) payments.Outcome {
	found, err := o.readDone(ctx, w, entry)
	switch {
	case found.IsDone():
		return found.Outcome
	case err != nil && !isGone(err) && (entry.Subject != "" || !w.isFindable()):
		return payments.Outcome{Verdict: payments.Unknown, Err: err}
	case err == nil && w.Intent.Reference == "" && found.Err != nil:
		return o.refused(w, changedSince(entry, found.Err), found.Subject, found.State)
	}
	if w.Intent.Of == "" && w.isFindable() {
		again, err := o.find(ctx, w)
		switch {
		case again.IsDone():
			o.record(entry.Intent, again.Outcome)
			return again.Outcome
		case err != nil:
			return payments.Outcome{Verdict: payments.Unknown, Err: err}
		case again.other:
			return payments.Outcome{
				Verdict: payments.Unknown, Err: again.Err, Subject: again.Subject, State: again.State,
			}
		}
	}
	return payments.Outcome{Verdict: payments.Unknown, Err: effectGone(w, entry), Subject: entry.Subject}
}

// readDone reads the effect of a write that is done according to the journal, and compares it.
func (o *Outbox) readDone(ctx context.Context, w *Write, entry journal.Entry) (found lookup, err error) {
	if entry.Subject == "" || w.Intent.Of != "" && !w.isFindable() { // nothing shows whether a submission was made
		return lookup{}, alreadyDone(entry)
	}
	found, err = o.read(ctx, w, entry.Subject)
	if err == nil && !found.IsDone() && !found.other {
		return lookup{}, alreadyDone(entry)
	}
	if found.Subject == "" {
		found.Subject, found.State = entry.Subject, entry.State // of a call whose effect is at a path
	}
	return found, err
}

// isGone reports whether the service says that it does not have what was read.
func isGone(err error) bool {
	return payments.IsKind(err, payments.KindNotFound) || payments.IsKind(err, payments.KindGone)
}

// compareWithDone refuses a write whose key, reference or external id belongs to one with other content, and says how they
// differ as far as the service shows it.
func (o *Outbox) compareWithDone(ctx context.Context, w *Write, entry journal.Entry) payments.Outcome {
	found, err := o.readDone(ctx, w, entry)
	switch {
	case found.IsDone() && len(found.hidden) > 0:
		return o.refused(w, w.belongsToAnother(found.Document, found.hidden), found.Subject, found.State)
	case err == nil && found.Err != nil:
		return o.refused(w, found.Err, found.Subject, found.State)
	case err != nil && !isGone(err) && !payments.IsKind(err, payments.KindAlreadySent):
		return payments.Outcome{Verdict: payments.NotSent, Err: err}
	}
	return o.refused(w, w.otherContent(entry), entry.Subject, entry.State)
}

// findAgain searches for the effect of a write that may have succeeded. If the service certainly does not show it long
// after it was sent, the entry is recorded as absent, so that the write may be sent.
func (o *Outbox) findAgain(ctx context.Context, w *Write, entry journal.Entry) (payments.Outcome, step) {
	unknown := func(err error) (payments.Outcome, step) {
		return payments.Outcome{Verdict: payments.Unknown, Err: err}, finish
	}
	if !w.isFindable() {
		return unknown(stillUnknown(entry, 0))
	}
	found, err := o.find(ctx, w)
	switch {
	case err != nil:
		return unknown(notLookedUp(entry, err))
	case found.other:
		return payments.Outcome{
			Verdict: payments.Unknown, Err: found.Err, Subject: found.Subject, State: found.State,
		}, finish
	case found.IsDone():
		o.record(entry.Intent, found.Outcome)
		return found.Outcome, finish
	case !found.absent:
		return unknown(stillUnknown(entry, 0))
	}
	if age := elapsed(entry.Changed, o.Now()); age < AbsentAfter+o.ListLag {
		return unknown(stillUnknown(entry, AbsentAfter+o.ListLag-age))
	}
	entry.Result = journal.Result{Outcome: journal.OutcomeAbsent, Detail: notShownDetail}
	err = o.Journal.Record(ctx, []journal.Entry{entry})
	switch {
	case err == nil, errors.Is(err, journal.ErrMoved):
		return payments.Outcome{}, claimAgain
	case errors.Is(err, journal.ErrOthers):
		return unknown(stillUnknown(entry, 0))
	}
	return unknown(notRecorded(ctx, err))
}

// notShownDetail is the detail of an entry that is absent.
const notShownDetail = "The service does not show it."
