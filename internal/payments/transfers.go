package payments

import (
	"context"
	"errors"
	"slices"
)

// transferTransitions lists where each state of a transfer can go.
var transferTransitions = map[TransferState][]TransferState{
	TransferStateAwaitingFunds: {TransferStateInReview, TransferStateFundsReceived, TransferStateCanceled,
		TransferStateExpired, TransferStateFailed},
	TransferStateInReview:         {TransferStateFundsReceived, TransferStateFailed},
	TransferStateFundsReceived:    {TransferStatePaymentSubmitted, TransferStateFailed},
	TransferStatePaymentSubmitted: {TransferStatePaymentProcessed, TransferStateUndeliverable, TransferStateReturned, TransferStateFailed},
	TransferStatePaymentProcessed: {TransferStateReturned},
	TransferStateUndeliverable:    {TransferStateRefunded},
	TransferStateReturned:         {TransferStateRefunded},
}

// CanBecome says whether a transfer can go from one state to the other in one step.
func (s TransferState) CanBecome(next TransferState) bool {
	return slices.Contains(transferTransitions[s], next)
}

// Settled says whether the money has arrived.
func (s TransferState) Settled() bool { return s == TransferStatePaymentProcessed }

// Failed says whether the transfer will not deliver its money any more.
func (s TransferState) Failed() bool {
	switch s {
	case TransferStateUndeliverable, TransferStateReturned, TransferStateRefunded,
		TransferStateCanceled, TransferStateExpired, TransferStateFailed:
		return true
	}
	return false
}

// ErrEndless says that a list has no end: a page's next page is the page itself.
var ErrEndless = errors.New("the service answers with the same nextCursor again, so that the list would never end")

// FirstTransfer is the transfer that has the reference and the external id of a filter; among several the one that was made
// first. That a service lists others is no reason to take them for it.
func FirstTransfer(ctx context.Context, service Transfers, filter TransferFilter) (transfer Transfer, found bool, err error) {
	for {
		page, err := service.ListTransfers(ctx, filter)
		if err != nil {
			return Transfer{}, false, err
		}
		for _, t := range page.Data { // newest first
			if (filter.Reference == "" || t.Reference == filter.Reference) && (filter.ExternalID == "" || t.ExternalID == filter.ExternalID) {
				transfer, found = t, true
			}
		}
		switch {
		case page.NextCursor == nil:
			return transfer, found, nil
		case *page.NextCursor == filter.Cursor:
			return Transfer{}, false, ErrEndless
		}
		filter.Cursor = *page.NextCursor
	}
}
