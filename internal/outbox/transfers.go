package outbox

import (
	"context"
	"strings"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// CreateAutoTransfer creates a transfer, or returns the one that exists already: the same line may have been run
// before, on this machine or another one.
func (o *Outbox) CreateAutoTransfer(
	ctx context.Context, request payments.NewAutoTransfer, key payments.Idempotency,
) (payments.WriteResult[payments.Transfer], error) {
	return submitted[payments.Transfer](ctx, o, NewAutoTransfer(request, key))
}

// NewAutoTransfer describes the write that creates a transfer. With a key alone it gets an external id that is made of the
// key, by which it can be found.
func NewAutoTransfer(request payments.NewAutoTransfer, key payments.Idempotency) *Write {
	if key.Key != "" && request.Reference == "" && request.ExternalID == "" {
		request.ExternalID = journal.ReferenceKey(CreateAutoTransferOperation, key.Key) // the same in every run
	}
	if request.Amount != nil { // equal amounts must be sent as equal texts: a service may compare a repeated request by these
		route, _ := payments.ParseRouteKey(request.Route.RouteKey)
		decimals, _ := payments.CurrencyDecimals(route.Currency(request.AmountType))
		request.Amount = new(request.Amount.Written(decimals))
	}
	return newWrite(CreateAutoTransferOperation, key, encode(request))
}

// CheckPaidOnce returns an error with the identifiers if the reference of a write that is done has several transfers.
// Another machine may have sent it at the same moment, or a request that was given up may have arrived since. It asks
// the service only if the write's key does not prevent that.
func (o *Outbox) CheckPaidOnce(ctx context.Context, w *Write) error {
	if w.Intent.Reference == "" || o.DryRun || o.HonoursKeys(ctx, false) && !w.Intent.HasGivenKey() {
		return nil
	}
	o.awaitLists(ctx, o.Now())
	seen, err := o.search(ctx, w.Resource, "reference", w.Intent.Reference)
	if paid := notCanceled(seen.documents); err == nil && len(paid) > 1 {
		return paidTwice(w.Intent.Reference, paid)
	}
	return nil
}

// CancelTransfer cancels a transfer. Canceling twice is canceling once.
func (o *Outbox) CancelTransfer(
	ctx context.Context, transferID string, key payments.Idempotency,
) (payments.WriteResult[payments.Transfer], error) {
	return submitted[payments.Transfer](ctx, o, newWrite(CancelTransferOperation, key, nil, transferID))
}

// submitted submits a write and returns its effect. It tells the user which members of the request the service does not
// show. That something is masked needs no word.
func submitted[T any](ctx context.Context, o *Outbox, w *Write) (result payments.WriteResult[T], err error) {
	outcome := o.Submit(ctx, w)
	result.Replayed = outcome.Replayed
	if !outcome.IsDone() {
		return result, outcome.Err
	}
	if len(outcome.NotCompared) > 0 {
		o.Note("The service does not show, so that it could not be compared: " + strings.Join(outcome.NotCompared, ", ") + ".")
	}
	_ = payments.Read(outcome.Document, &result.Value, nil) // a text that is no JSON shows nothing
	if transfer, ok := any(&result.Value).(*payments.Transfer); ok {
		transfer.Complete()
	}
	return result, o.CheckPaidOnce(ctx, w)
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
