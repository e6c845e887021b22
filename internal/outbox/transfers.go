package outbox

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// The operations of transfers, as the journal and the contract name them.
const (
	CreateAutoTransferOperation = "createAutoTransfer"
	CancelTransferOperation     = "cancelTransfer"
)

// A PreparedTransfer is a new transfer that is ready to be claimed and sent: its body is encoded.
type PreparedTransfer struct {
	Request payments.NewAutoTransfer
	Intent  journal.Intent

	body    []byte // JSON
	claim   *journal.Claim
	claimed time.Time

	sent, repeated bool
}

// Sent reports whether an attempt at the transfer was begun.
func (p *PreparedTransfer) Sent() bool { return p.sent }

// Repeated reports whether an attempt was begun after another one whose outcome is unknown.
func (p *PreparedTransfer) Repeated() bool { return p.repeated }

// Claimed reports whether the transfer was claimed, so that it has to be submitted or released.
func (p *PreparedTransfer) Claimed() bool { return p.claim != nil && p.claim.Mine }

// Entry is what the journal had about the transfer when it was claimed; without an outcome if it had nothing.
func (p *PreparedTransfer) Entry() journal.Entry {
	if p.claim == nil {
		return journal.Entry{}
	}
	return p.claim.Entry
}

// CreateAutoTransfer creates a transfer, or returns the one that exists already: the same line may have been run
// before, on this machine or another one. A transfer without a key gets the one that is made of its reference. One
// with a key alone gets an external id that is made of the key, by which it can be found.
func (o *Outbox) CreateAutoTransfer(
	ctx context.Context, request payments.NewAutoTransfer, key payments.Idempotency,
) (payments.WriteResult[payments.Transfer], error) {
	lookFirst, oneExternalID := request.Reference != "", key.OneExternalID && request.ExternalID != ""
	if request.Reference == "" && request.ExternalID == "" && key.Key != "" {
		lookFirst = true
		request.ExternalID = journal.ReferenceKey(CreateAutoTransferOperation, key.Key) // the same in every run
	}
	prepared, err := o.PrepareAutoTransfer(request, key)
	if err != nil {
		return payments.WriteResult[payments.Transfer]{}, err
	}
	prepared.Intent.OneExternalID = oneExternalID
	result, err := o.submitTransfer(ctx, prepared, lookFirst, false)
	if err == nil {
		err = o.CheckPaidOnce(ctx, prepared.Intent)
	}
	return result, err
}

// CheckPaidOnce returns an error with the identifiers if the reference of a write that succeeded has several transfers.
// Another machine may have sent it at the same moment, or a request that was given up may have arrived since. It asks
// the service only if the write's key does not prevent that.
func (o *Outbox) CheckPaidOnce(ctx context.Context, intent journal.Intent) error {
	if intent.Reference == "" || o.dryRun || o.HonoursKeys(ctx, false) && !intent.HasGivenKey() {
		return nil
	}
	_, _, err := o.FindTransferID(ctx, intent.Reference)
	return asPaidTwice(err)
}

// PrepareAutoTransfer encodes a new transfer, so that a caller with many transfers can claim them together.
func (o *Outbox) PrepareAutoTransfer(
	request payments.NewAutoTransfer, key payments.Idempotency,
) (*PreparedTransfer, error) {
	if key.Key == "" && request.Reference != "" {
		key.Key = journal.ReferenceKey(CreateAutoTransferOperation, request.Reference)
	}
	path, body, err := o.Encode(CreateAutoTransferOperation, nil, request)
	if err != nil {
		return nil, err
	}
	intent := NewIntent(CreateAutoTransferOperation, key.Key, path, body)
	intent.Reference, intent.ExternalID, intent.BatchID = request.Reference, request.ExternalID, request.BatchID
	if request.BatchID == "" {
		// Other bodies are not kept: they hold personal data, and the file of a batch can be sent again.
		intent.Body = body
	}
	return &PreparedTransfer{Request: request, Intent: intent, body: body}, nil
}

// Claim claims prepared transfers in the journal, all in one transaction. The caller must submit or release each.
func (o *Outbox) Claim(ctx context.Context, prepared []*PreparedTransfer) error {
	intents := intentsOf(prepared)
	claims, claimed, err := o.claim(ctx, intents, false)
	if err != nil {
		return err
	}
	for i, p := range prepared {
		p.Intent, p.claim, p.claimed = intents[i], &claims[i], claimed
	}
	return nil
}

func intentsOf(prepared []*PreparedTransfer) []journal.Intent {
	intents := make([]journal.Intent, len(prepared))
	for i, p := range prepared {
		intents[i] = p.Intent
	}
	return intents
}

// Lookup returns what the journal has about prepared transfers; an entry without an outcome if it has nothing.
func (o *Outbox) Lookup(ctx context.Context, prepared []*PreparedTransfer) ([]journal.Entry, error) {
	return o.journal.Lookup(ctx, intentsOf(prepared)...)
}

// Record records what was found at the service.
func (o *Outbox) Record(ctx context.Context, entries []journal.Entry) error {
	return o.journal.Record(ctx, entries)
}

// Release releases a transfer that was claimed and not submitted.
func (o *Outbox) Release(p *PreparedTransfer) error {
	if !p.Claimed() {
		return nil
	}
	return o.journal.Release(p.Intent)
}

// MayRepeat reports whether a transfer that was claimed and sent, and whose outcome is unknown, may be sent again at
// once.
func (o *Outbox) MayRepeat(ctx context.Context, p *PreparedTransfer) bool {
	return o.HonoursKeys(ctx, false) && holds(p.claimed, o.now(), keyLifetime) || o.KeepsReferencesUnique(ctx)
}

// SubmitAutoTransfer is CreateAutoTransfer for a prepared transfer with a reference. It is looked up first unless the
// service keeps references unique.
func (o *Outbox) SubmitAutoTransfer(
	ctx context.Context, p *PreparedTransfer,
) (payments.WriteResult[payments.Transfer], error) {
	return o.submitTransfer(ctx, p, true, true)
}

func (o *Outbox) submitTransfer(
	ctx context.Context, p *PreparedTransfer, lookFirst, skipIfUnique bool,
) (payments.WriteResult[payments.Transfer], error) {
	request := p.Request
	write := Write[payments.Transfer]{
		Intent: p.Intent, LookFirst: lookFirst, SkipIfUnique: skipIfUnique, claim: p.claim, claimed: p.claimed,
		Send: func(ctx context.Context, key payments.Idempotency) (payments.WriteResult[payments.Transfer], error) {
			p.sent, p.repeated = true, p.repeated || key.Lost != nil
			if maySend := key.MaySend; maySend != nil {
				key.MaySend = func(ctx context.Context, lost error) error {
					p.repeated = p.repeated || lost != nil
					return maySend(ctx, lost)
				}
			}
			return o.SendAutoTransfer(ctx, request, p.body, key)
		},
		Read: o.readTransfer, Identify: identifyTransfer,
		Differs: func(existing payments.Transfer, sent bool) error { return CheckSame(request, existing, sent) },
	}
	if request.Reference != "" || request.ExternalID != "" {
		write.Find = func(ctx context.Context) (payments.Transfer, bool, error) { return o.findTransfer(ctx, request) }
	}
	if p.Intent.OneExternalID {
		sharing := payments.NewAutoTransfer{ExternalID: request.ExternalID}
		write.FindDuplicate = func(ctx context.Context) (payments.Transfer, bool, error) {
			return o.findTransfer(ctx, sharing)
		}
	}
	p.claim = nil // it is used up
	result, err := Submit(ctx, o, write)
	if request.Reference == "" || !isReferenceTaken(err) {
		return result, err
	}
	// The reference, or the key that is made of it, belongs to a transfer that the service knows.
	existing, found, findErr := findDone(ctx, o, write, false)
	switch {
	case !found:
		return result, cmp.Or(asPaidTwice(findErr), err)
	case findErr != nil:
		return result, findErr
	}
	return existing, nil
}

// isReferenceTaken reports whether a new transfer was refused because its key or its reference was used before.
func isReferenceTaken(err error) bool {
	return payments.IsKind(err, payments.KindKeyReuse) || payments.IsKind(err, payments.KindReferenceInUse) ||
		payments.IsKind(err, payments.KindAlreadySent)
}

// asPaidTwice returns an error that says that a reference has several transfers; nil for any other error.
func asPaidTwice(err error) error {
	if payments.IsKind(err, payments.KindPaidTwice) {
		return err
	}
	return nil
}

func identifyTransfer(t payments.Transfer) (subject, state string) { return t.ID, string(t.State) }

// readTransfer reads a transfer unconditionally.
func (o *Outbox) readTransfer(ctx context.Context, transferID string) (payments.Transfer, error) {
	result, err := o.GetTransfer(ctx, transferID, payments.ReadOptions{})
	return result.Value, err
}

// findTransfer searches for a transfer by the reference or the external id of its request. A near reference and
// several transfers with one reference are errors.
func (o *Outbox) findTransfer(
	ctx context.Context, request payments.NewAutoTransfer,
) (transfer payments.Transfer, found bool, err error) {
	filter := payments.TransferFilter{Reference: request.Reference}
	if filter.Reference == "" {
		filter.ExternalID = request.ExternalID
	}
	match, err := payments.FindTransfers(ctx, o.Client, filter)
	switch {
	case err != nil:
		return transfer, false, err
	case match.Found && len(match.Others) > 0 && request.Reference != "":
		transfer, err = o.onlyPayment(ctx, match)
		return transfer, true, err
	case match.Found:
		return match.First, true, nil
	case match.Near != nil && request.Reference != "":
		return transfer, false, nearReference(request.Reference, match.Near.Reference, match.Near.ID)
	}
	return transfer, false, nil
}

// onlyPayment returns the one of several transfers with a reference that was not canceled, or the first if all were. The
// error names those that were not, if they are several.
func (o *Outbox) onlyPayment(
	ctx context.Context, match payments.Match[payments.Transfer],
) (only payments.Transfer, err error) {
	only = match.First
	var paid []string
	for _, id := range append([]string{match.First.ID}, match.Others...) {
		transfer, err := o.readTransfer(ctx, id)
		if err != nil {
			return match.First, err
		}
		if transfer.State != payments.TransferStateCanceled {
			only, paid = transfer, append(paid, id)
		}
	}
	if len(paid) > 1 {
		return match.First, paidTwice(match.First.Reference, paid)
	}
	return only, nil
}

// FindTransferID searches for a transfer by its reference, and returns its identifier.
func (o *Outbox) FindTransferID(ctx context.Context, reference string) (id string, found bool, err error) {
	transfer, found, err := o.findTransfer(ctx, payments.NewAutoTransfer{Reference: reference})
	return transfer.ID, found, err
}

// CheckSame returns an error if a transfer with the reference or the key of a request has other content. A transfer for
// which the request was sent need not show its batch: not every service does.
func CheckSame(request payments.NewAutoTransfer, existing payments.Transfer, sent bool) error {
	if sent && existing.BatchID == "" {
		existing.BatchID = request.BatchID
	}
	if found := Differences(request, existing); len(found) > 0 {
		return &ReferenceReusedError{referenceReused(request.Reference, existing, found), existing, found}
	}
	return nil
}

// Differences describes how a transfer differs from a request, in lines such as "amount: there 10.00, here 12.50".
func Differences(request payments.NewAutoTransfer, existing payments.Transfer) (found []string) {
	compare := func(what, there, here string) {
		if there != here {
			found = append(found, what+": there "+cmp.Or(there, "-")+", here "+cmp.Or(here, "-"))
		}
	}
	compare("contact", existing.DestinationSavedContactID, request.DestinationSavedContactID)
	compare("route", existing.Route, request.Route.RouteKey)
	if request.Route.FlowType != "" {
		compare("flow type", string(existing.FlowType), string(request.Route.FlowType))
	}
	if request.Route.Provider != "" {
		compare("provider", existing.Provider, request.Route.Provider)
	}
	compare("amount", amountText(existing.Amount), amountText(request.Amount))
	amountType := cmp.Or(request.AmountType, payments.AmountTypeSource)
	compare("amount type", string(existing.AmountType), string(amountType))
	if request.ExternalID != "" {
		compare("external id", existing.ExternalID, request.ExternalID)
	}
	compare("batch", existing.BatchID, request.BatchID)
	compare("metadata", metadataText(existing.Metadata), metadataText(request.Metadata))
	return found
}

func metadataText(metadata payments.Metadata) string {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		pairs = append(pairs, key+"="+metadata[key])
	}
	return strings.Join(pairs, ", ")
}

func amountText(amount *payments.Decimal) string {
	if amount == nil {
		return "whatever arrives"
	}
	return amount.String()
}

// CancelTransfer cancels a transfer. Without a key it gets one that is made of the transfer: canceling twice is
// canceling once.
func (o *Outbox) CancelTransfer(
	ctx context.Context, transferID string, key payments.Idempotency,
) (payments.WriteResult[payments.Transfer], error) {
	if key.Key == "" {
		key.Key = journal.ReferenceKey(CancelTransferOperation, transferID)
	}
	return submitOperation(ctx, o, Write[payments.Transfer]{
		Intent: journal.Intent{Operation: CancelTransferOperation, Key: key.Key},
		Send: func(ctx context.Context, key payments.Idempotency) (payments.WriteResult[payments.Transfer], error) {
			return o.Client.CancelTransfer(ctx, transferID, key)
		},
		Read: o.readTransfer,
		Find: func(ctx context.Context) (payments.Transfer, bool, error) {
			transfer, err := o.readTransfer(ctx, transferID)
			return transfer, transfer.State == payments.TransferStateCanceled, err
		},
		Identify: identifyTransfer,
	}, nil, transferID)
}
