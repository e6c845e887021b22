package transfer

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/batch"
	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

// look finds out what became of a write, and puts it down. Hidden says that there is nothing to find it by.
func look(ctx context.Context, d *deps.Deps, o *settleOptions, writes deps.Journal, entry payments.JournalEntry) (_ payments.JournalEntry, hidden bool, err error) {
	service, err := d.Payments()
	if err != nil {
		return entry, false, err
	}
	found, sought, err := effect(ctx, service, entry)
	if err == nil && found.Outcome == payments.OutcomeDone && entry.IsFoundByExternalID() {
		found, sought, err = unlessClaimed(ctx, writes, entry, found)
	}
	if isOfOne(err) {
		entry.Detail = "The service did not tell: " + err.Error()
		return entry, false, nil
	}
	if err != nil {
		return entry, false, err
	}
	switch {
	case found.Outcome == payments.OutcomeDone:
	case sought && o.resend && entry.Body == nil && entry.Operation == createAutoTransfer:
		entry.Detail = "It is a row of a file, which the same transfer batch line sends again when it counts as not done."
		return entry, false, nil
	case sought && o.resend && entry.Body != nil:
		entry, err = resend(ctx, service, writes, entry)
		return entry, false, err
	case sought && d.Now().Sub(entry.Changed) >= o.after:
		found = payments.Result{Outcome: payments.OutcomeAbsent, Detail: "The service does not show it."}
	case !sought && o.dismiss:
		found = payments.Result{Outcome: payments.OutcomeAbsent, Detail: "Dismissed by hand."}
	default:
		entry.Detail = "The service does not show it yet; look again " + shortly(o.after) + " after it was sent."
		if !sought {
			entry.Detail = cmp.Or(found.Detail, "There is nothing to find it by; look for it at the service, and then --dismiss it.")
		}
		return entry, !sought, nil
	}
	settled := entry
	settled.Result = found
	if err := writes.Record(ctx, []payments.JournalEntry{settled}); err != nil {
		entry, err = moved(ctx, writes, entry, err)
		return entry, false, err
	}
	return settled, false, nil
}

// unlessClaimed is what was found by an external id, which need not be one write's: what another one is known to have made is
// not this one's.
func unlessClaimed(ctx context.Context, writes deps.Journal, entry payments.JournalEntry, found payments.Result) (payments.Result, bool, error) {
	claimed, err := writes.Claimed(ctx, entry.Intent, found.Subject)
	if err != nil || !claimed {
		return found, true, err
	}
	return payments.Result{Detail: "The external id belongs to " + found.Subject + ", which another write made; look for this one's at the service, and then --dismiss it."}, false, nil
}

// isOfOne says whether the service refused to tell of one write what it may tell of others.
func isOfOne(err error) bool {
	const badRequest, unauthorized, forbidden, tooManyRequests, internal = 400, 401, 403, 429, 500 // RFC 9110 section 15
	refusal, ok := errors.AsType[*payments.Refusal](err)
	if !ok || refusal.Status < badRequest || refusal.Status >= internal {
		return false
	}
	return refusal.Status != unauthorized && refusal.Status != forbidden && refusal.Status != tooManyRequests
}

// moved is an entry as it is now when another program has sent the write meanwhile, or another client may have sent it; any
// other error stays one.
func moved(ctx context.Context, writes deps.Journal, entry payments.JournalEntry, err error) (payments.JournalEntry, error) {
	if errors.Is(err, journal.ErrOthers) {
		entry.Detail = "The service does not show it to this client, and another may have sent it: settle it with the credentials that it was sent with."
		return entry, nil
	}
	if !errors.Is(err, journal.ErrMoved) {
		return entry, err
	}
	now, found, err := writes.Lookup(ctx, entry.Intent)
	if err != nil || !found {
		return entry, err
	}
	return now, nil
}

// effect looks for what a write was to make. Sought is false where there is nothing to find it by.
func effect(ctx context.Context, service payments.Service, entry payments.JournalEntry) (found payments.Result, sought bool, err error) {
	done := func(subject, state string) payments.Result {
		return payments.Result{Outcome: payments.OutcomeDone, Subject: subject, State: state}
	}
	switch entry.Operation {
	case createAutoTransfer:
		filter := payments.TransferFilter{Reference: entry.Reference}
		if filter.Reference == "" {
			filter.ExternalID = entry.ExternalID
		}
		if filter == (payments.TransferFilter{}) {
			return found, false, nil
		}
		transfer, ok, err := payments.FirstTransfer(ctx, service, filter)
		if err != nil || !ok {
			return found, true, err
		}
		other, err := otherThan(service, entry, transfer)
		if err != nil {
			return found, true, err
		}
		if other != "" {
			found.Detail = "The reference belongs to " + transfer.ID + ", which " + other + "; run this one's line again, or --dismiss it."
			return found, false, nil
		}
		return done(transfer.ID, string(transfer.State)), true, nil
	case cancelTransfer:
		reading, err := service.GetTransfer(ctx, entry.Of, payments.Condition{})
		if payments.IsKind(err, payments.KindNotFound) { // another world's, say
			return found, true, nil
		}
		if reading.Value.State == payments.TransferStateCanceled {
			found = done(entry.Of, string(reading.Value.State))
		}
		return found, true, err
	case "createAccount":
		if entry.ExternalID == "" {
			return found, false, nil
		}
		account, ok, err := payments.FirstAccount(ctx, service, entry.ExternalID)
		if ok {
			found = done(account.ID, string(account.KYCStatus))
		}
		return found, true, err
	}
	return found, false, nil
}

// otherThan says by what a transfer with a write's reference is another than the one that was sent; empty: by nothing. Where
// the journal has no body to compare it with, as of a row of a batch, the request that it was made by is put together again
// and has to have the same hash.
func otherThan(service payments.Service, entry payments.JournalEntry, found payments.Transfer) (string, error) {
	if found.IsOfAnotherBatch(entry.BatchID) {
		return "another batch made", nil
	}
	if entry.Body != nil {
		var sent payments.NewAutoTransfer
		if err := json.Unmarshal(entry.Body, &sent); err != nil {
			return "", err
		}
		if differs := differences(sent, found); len(differs) > 0 {
			return "differs: " + strings.Join(differs, "; "), nil
		}
		return "", nil
	}
	over, ok := service.(speaker)
	if !ok || entry.BatchID == "" || entry.BodyHash == "" {
		return "", nil
	}
	found.Reference, found.BatchID = entry.Reference, entry.BatchID // which it may show in another form, or not at all
	again, err := over.PrepareAutoTransfer(batch.Asked(found), payments.Idempotency{Key: entry.Key})
	if err == nil && again.Intent.BodyHash != entry.BodyHash {
		return "has another content", nil
	}
	return "", err
}

// resend sends a transfer again that the service does not show. From here on it counts as not done.
func resend(ctx context.Context, service payments.Service, writes deps.Journal, entry payments.JournalEntry) (payments.JournalEntry, error) {
	var request payments.NewAutoTransfer
	if err := json.Unmarshal(entry.Body, &request); err != nil {
		return entry, err
	}
	absent := entry
	absent.Result = payments.Result{Outcome: payments.OutcomeAbsent, Detail: "The service did not show it; it was sent again."}
	if err := writes.Record(ctx, []payments.JournalEntry{absent}); err != nil {
		return moved(ctx, writes, entry, err)
	}
	written, err := service.CreateAutoTransfer(ctx, request, payments.Idempotency{Key: entry.Key})
	if err != nil {
		return entry, err
	}
	entry.Result = payments.Result{Outcome: payments.OutcomeDone, Subject: written.Value.ID, State: string(written.Value.State)}
	return entry, nil
}

// A settledWrite is an entry of the journal as settle prints it.
type settledWrite struct {
	Operation  string           `json:"operation"`
	Key        string           `json:"idempotencyKey"`
	Reference  string           `json:"reference,omitempty"`
	ExternalID string           `json:"externalId,omitempty"`
	BatchID    string           `json:"batchId,omitempty"`
	Outcome    payments.Outcome `json:"outcome"`
	Subject    string           `json:"subject,omitempty"`
	State      string           `json:"state,omitempty"`
	Problem    string           `json:"problemType,omitempty"`
	Detail     string           `json:"detail,omitempty"`
	Profile    string           `json:"profile"`
	Attempts   int              `json:"attempts"`
	Began      time.Time        `json:"began"`
	Changed    time.Time        `json:"changed"`
}

var settleColumns = []term.Column{
	{Header: "Operation"}, {Header: "Reference", Keep: true}, {Header: "Outcome", Keep: true}, {Header: "Subject"},
	{Header: "State"}, {Header: "Sent", Name: "began"}, {Header: "Detail"},
}

func settled(e payments.JournalEntry) settledWrite {
	return settledWrite{
		Operation: e.Operation, Key: e.Key, Reference: e.Reference, ExternalID: e.ExternalID, BatchID: e.BatchID,
		Outcome: e.Outcome, Subject: e.Subject, State: e.State, Problem: e.Problem, Detail: e.Detail,
		Profile: e.Profile, Attempts: e.Attempts, Began: e.Began, Changed: e.Changed,
	}
}

func (w settledWrite) row() []term.Cell {
	name := w.Reference
	for _, other := range []string{w.ExternalID, w.Key} {
		if name == "" {
			name = other
		}
	}
	tone := term.Warn
	switch w.Outcome {
	case payments.OutcomeDone:
		tone = term.Good
	case payments.OutcomeRefused:
		tone = term.Bad
	}
	return []term.Cell{term.Text(w.Operation), term.Text(name), term.Toned(tone, string(w.Outcome)), term.Optional(w.Subject),
		term.Optional(w.State), term.Text(deps.Time(w.Began)), term.Optional(w.Detail)}
}

// shortly writes a duration without the zeros that Go puts behind it: 15m for 15m0s.
func shortly(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
