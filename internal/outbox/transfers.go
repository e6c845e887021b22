package outbox

import (
	"context"
	"strings"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// CreateAutoTransfer creates a transfer, or returns the existing one. The same line may have been run before, here or
// on another machine.
func (o *Outbox) CreateAutoTransfer(
	ctx context.Context, request payments.NewAutoTransfer, key payments.Idempotency,
) (payments.WriteResult[payments.Transfer], error) {
	return o.SubmitTransfer(ctx, NewAutoTransfer(request, key))
}

// SubmitTransfer submits a write of NewAutoTransfer.
func (o *Outbox) SubmitTransfer(ctx context.Context, w *Write) (payments.WriteResult[payments.Transfer], error) {
	return submitValue[payments.Transfer](ctx, o, w)
}

// NewAutoTransfer describes the write that creates a transfer. A request with a key alone gets an external id made of
// the key, so that it can be found.
func NewAutoTransfer(request payments.NewAutoTransfer, key payments.Idempotency) *Write {
	if key.Key != "" && request.Reference == "" && request.ExternalID == "" {
		request.ExternalID = journal.ExternalIDOf(contract.CreateAutoTransfer.ID, key.Key) // the same in every run
	}
	// a service may compare repeated requests by text, so equal amounts must be equal texts
	if request.Amount != nil {
		if request.AmountType == "" {
			request.AmountType = payments.AmountTypeSource
		}
		route, _ := payments.ParseRouteKey(request.Route.RouteKey)
		decimals, _ := money.CurrencyDecimals(route.Currency(request.AmountType))
		request.Amount = new(request.Amount.Written(decimals))
	}
	return newWrite(contract.CreateAutoTransfer.ID, key, encode(request))
}

// CancelTransfer cancels a transfer. Canceling twice is canceling once.
func (o *Outbox) CancelTransfer(
	ctx context.Context, transferID string, key payments.Idempotency,
) (payments.WriteResult[payments.Transfer], error) {
	return submitValue[payments.Transfer](ctx, o, newWrite(contract.CancelTransfer.ID, key, nil, transferID))
}

// submitValue submits a write and returns its effect. It tells the user which members of the request the service does
// not show, or shows differently. Masked members are not mentioned.
func submitValue[T any](ctx context.Context, o *Outbox, w *Write) (made payments.WriteResult[T], err error) {
	result := o.Submit(ctx, w)
	made.Replayed = result.Replayed
	if !result.IsDone() {
		return made, result.Err
	}
	if len(result.NotCompared) > 0 {
		o.Note("The service does not show these, so they could not be compared: " + strings.Join(result.NotCompared, ", ") +
			".")
	}
	if len(result.Near) > 0 {
		o.Note("The service shows differently: " + strings.Join(result.Near, "; ") + ".")
	}
	if state := payments.TransferState(result.State); w.isTransfer() && state != "" && !state.Valid() {
		o.Note("The state " + payments.QuoteReference(result.State) + " is not known to payctl.")
	}
	_ = effect.Read(result.Document, &made.Value) // an answer that is not JSON shows nothing
	if transfer, ok := any(&made.Value).(*payments.Transfer); ok {
		transfer.Complete()
	}
	return made, o.CheckMadeOnce(ctx, w, result)
}

// CheckShown returns an error if a later read shows a transfer differently than it was sent.
func (o *Outbox) CheckShown(w *Write, t payments.Transfer) error {
	if found := w.examine(t.Document, nil); found.proof == different {
		return w.shownDifferently(found)
	}
	return nil
}

// RequestOf returns the request that created a transfer of a batch, with the same bytes as were sent.
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
