package outbox

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// ResolveOptions are the options of Resolve.
type ResolveOptions struct {
	After   time.Duration // how long after it was sent a write that the service does not show counts as not done
	Resend  bool          // send a transfer again if the service does not show it
	Dismiss bool          // close a write that cannot be looked up
}

// A Resolved write is an entry of the journal after Resolve.
type Resolved struct {
	journal.Entry // its Detail says why the outcome is still open

	Hidden bool // it cannot be looked up
	// PaidTwice names all transfers that the service has for the reference; nil if there is at most one.
	PaidTwice error
}

// Entries calls a function for every entry of the journal that a filter selects, oldest first, until it fails.
func (o *Outbox) Entries(ctx context.Context, filter journal.Filter, each func(journal.Entry) error) error {
	return o.journal.Each(ctx, filter, each)
}

// OpenOutsideScope counts by service the open writes of other clients, and to other services.
func (o *Outbox) OpenOutsideScope(ctx context.Context) (map[string]int, error) {
	return o.journal.OpenOutsideScope(ctx)
}

// Compact drops the entries of writes that did not happen and were last changed before a moment.
func (o *Outbox) Compact(ctx context.Context, before time.Time) (dropped int64, err error) {
	return o.journal.Compact(ctx, before)
}

// Resolve finds out what became of an open write, and records it.
func (o *Outbox) Resolve(ctx context.Context, entry journal.Entry, options ResolveOptions) (Resolved, error) {
	open := func(detail string) (Resolved, error) {
		entry.Detail = detail
		return Resolved{Entry: entry}, nil
	}
	found, sought, err := o.findEffect(ctx, entry)
	paidTwice := asPaidTwice(err)
	if paidTwice != nil {
		err = nil
	}
	if err == nil && found.Outcome == journal.OutcomeDone && entry.IsFoundByExternalID() {
		var made bool // several writes may share an external id
		if made, err = o.journal.MadeByAnother(ctx, entry.Intent, found.Subject); err == nil && made {
			found, sought = journal.Result{Detail: "The external id belongs to " + found.Subject +
				", which another write made; check this one at the service, and then --dismiss it."}, false
		}
	}
	switch {
	case isOfOneWrite(err) && options.Dismiss:
		sought = false
	case isOfOneWrite(err):
		return open("The service did not answer about it: " + err.Error())
	case err != nil:
		return Resolved{Entry: entry}, err
	}
	age := elapsed(entry.Changed, o.now())
	switch {
	case found.Outcome == journal.OutcomeDone:
	case sought && options.Resend && entry.Operation == CreateAutoTransferOperation && entry.Body == nil:
		return open("It is a row of a file: run the same transfer batch command again, once it counts as not done.")
	case sought && options.Resend && entry.Body != nil:
		return o.resend(ctx, entry)
	case sought && max(age, 0) >= options.After:
		found = journal.Result{Outcome: journal.OutcomeAbsent, Detail: notShownDetail}
	case sought && age < -clockSlack:
		return open("The clock was set back since it was sent. Wait 15 minutes, and run this with --after 0s.")
	case sought:
		return open("The service does not show it yet; run this again in " + roundUp(options.After-age) + ".")
	case options.Dismiss:
		found = journal.Result{Outcome: journal.OutcomeAbsent, Detail: "Dismissed."}
	default:
		entry.Detail = cmp.Or(found.Detail, "It cannot be looked up; check it at the service, and then --dismiss it.")
		return Resolved{Entry: entry, Hidden: true}, nil
	}
	resolved := entry
	resolved.Result = found
	if err := o.journal.Record(ctx, []journal.Entry{resolved}); err != nil {
		return o.notRecordedNow(ctx, entry, err)
	}
	return Resolved{Entry: resolved, PaidTwice: paidTwice}, nil
}

// isOfOneWrite reports whether the service refused to answer about one write but may answer about others.
func isOfOneWrite(err error) bool {
	const clientError, unauthorized, forbidden, tooManyRequests = 4, 401, 403, 429 // RFC 9110 section 15.5
	problem, ok := errors.AsType[*payments.ProblemError](err)
	return ok && problem.Status/100 == clientError && problem.Status != unauthorized && problem.Status != forbidden &&
		problem.Status != tooManyRequests
}

// notRecordedNow returns the present entry if another program has sent the write in the meantime, and the entry with a
// detail if only another client could find the write. Any other error stays an error.
func (o *Outbox) notRecordedNow(ctx context.Context, entry journal.Entry, err error) (Resolved, error) {
	switch {
	case errors.Is(err, journal.ErrOthers):
		entry.Detail = "The service does not show it to this client, and another one may have sent it: " +
			"resolve it with the credentials that it was sent with."
		return Resolved{Entry: entry}, nil
	case !errors.Is(err, journal.ErrMoved):
		return Resolved{Entry: entry}, err
	}
	now, err := o.journal.Lookup(ctx, entry.Intent)
	if err != nil || now[0].Outcome == "" {
		return Resolved{Entry: entry}, err
	}
	return Resolved{Entry: now[0]}, nil
}

// findEffect looks up the effect of a write at the service. Sought is false if it cannot be looked up. The error of an
// effect that was found says that there are several (payments.KindPaidTwice).
func (o *Outbox) findEffect(ctx context.Context, entry journal.Entry) (found journal.Result, sought bool, err error) {
	switch entry.Operation {
	case CreateAutoTransferOperation:
		return o.findTransferOf(ctx, entry)
	case CancelTransferOperation:
		transfer, err := o.readTransfer(ctx, entry.Of)
		switch {
		case payments.IsKind(err, payments.KindNotFound): // in another world, for example
			err = nil
		case transfer.State == payments.TransferStateCanceled:
			found = done(entry.Of, string(transfer.State))
		}
		return found, true, err
	case CreateAccountOperation:
		if entry.ExternalID == "" {
			return found, false, nil
		}
		match, err := payments.FindAccounts(ctx, o.Client, entry.ExternalID)
		if match.Found {
			found = done(identifyAccount(match.First))
		}
		return found, true, err
	case CreateContactOperation:
		if entry.ExternalID == "" {
			return found, false, nil
		}
		match, err := payments.FindSavedContacts(ctx, o.Client, entry.ExternalID)
		if match.Found {
			found = done(identifyContact(match.First))
		}
		return found, true, err
	}
	return found, false, nil
}

// findTransferOf looks up the transfer of a write.
func (o *Outbox) findTransferOf(
	ctx context.Context, entry journal.Entry,
) (found journal.Result, sought bool, err error) {
	wanted := payments.NewAutoTransfer{Reference: entry.Reference, ExternalID: entry.ExternalID}
	if wanted.Reference == "" && wanted.ExternalID == "" {
		return found, false, nil
	}
	transfer, ok, err := o.findTransfer(ctx, wanted)
	paidTwice := asPaidTwice(err) // one of the transfers is the write's own
	switch {
	case paidTwice != nil:
	case payments.IsKind(err, payments.KindOutcomeUnknown):
		problem, _ := errors.AsType[*payments.ProblemError](err)
		found.Detail = problem.Detail
		return found, false, nil
	case err != nil || !ok:
		return found, true, err
	}
	other, err := o.difference(entry, transfer)
	switch {
	case err != nil:
		return found, true, err
	case other != "":
		found.Detail = "The reference belongs to " + transfer.ID + ", which " + other +
			"; run the command of this one again, or --dismiss it."
		return found, false, nil
	}
	return done(identifyTransfer(transfer)), true, paidTwice
}

// difference describes how a transfer with a write's reference differs from the one that was sent; empty if it does
// not. The journal has no body of a batch's row to compare: the request that made the transfer is built again, and has
// to have the same hash.
func (o *Outbox) difference(entry journal.Entry, found payments.Transfer) (string, error) {
	switch {
	case found.IsOfAnotherBatch(entry.BatchID):
		return "another batch made", nil
	case entry.Body != nil:
		var sent payments.NewAutoTransfer
		err := json.Unmarshal(entry.Body, &sent)
		if differs := Differences(sent, found); err == nil && len(differs) > 0 {
			return "differs: " + strings.Join(differs, "; "), nil
		}
		return "", err
	case entry.BatchID == "" || entry.BodyHash == "":
		return "", nil
	}
	found.BatchID = entry.BatchID // the service may not show it
	again, err := o.PrepareAutoTransfer(RequestOf(found), payments.Idempotency{Key: entry.Key})
	if err == nil && again.Intent.BodyHash != entry.BodyHash {
		return "has another content", nil
	}
	return "", err
}

// RequestOf returns the request that created a transfer of a batch. The same content has the same bytes as when the row
// was sent.
func RequestOf(t payments.Transfer) payments.NewAutoTransfer {
	request := payments.NewAutoTransfer{
		DestinationSavedContactID: t.DestinationSavedContactID, Route: payments.RouteChoice{RouteKey: t.Route},
		Reference: t.Reference, BatchID: t.BatchID,
	}
	if len(t.Metadata) > 0 {
		request.Metadata = t.Metadata
	}
	if t.Amount != nil {
		request.Amount, request.AmountType = t.Amount, t.AmountType
	}
	return request
}

// resend sends a transfer again that the service does not show. First it is recorded as not done, so that the journal
// allows it.
func (o *Outbox) resend(ctx context.Context, entry journal.Entry) (Resolved, error) {
	var request payments.NewAutoTransfer
	if err := json.Unmarshal(entry.Body, &request); err != nil {
		return Resolved{Entry: entry}, err
	}
	absent := entry
	const detail = "The service did not show it; it was sent again."
	absent.Result = journal.Result{Outcome: journal.OutcomeAbsent, Detail: detail}
	if err := o.journal.Record(ctx, []journal.Entry{absent}); err != nil {
		return o.notRecordedNow(ctx, entry, err)
	}
	written, err := o.CreateAutoTransfer(ctx, request, payments.Idempotency{Key: entry.Key})
	if err != nil {
		return Resolved{Entry: entry}, err
	}
	entry.Result = done(identifyTransfer(written.Value))
	return Resolved{Entry: entry}, nil
}
