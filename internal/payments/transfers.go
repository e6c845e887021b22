package payments

import (
	"context"
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

// FirstTransfer is the transfer that a filter selects; among several the one that was made first.
func FirstTransfer(ctx context.Context, service Transfers, filter TransferFilter) (transfer Transfer, found bool, err error) {
	for {
		page, err := service.ListTransfers(ctx, filter)
		if err != nil {
			return Transfer{}, false, err
		}
		if n := len(page.Data); n > 0 {
			transfer, found = page.Data[n-1], true
		}
		if page.NextCursor == nil {
			return transfer, found, nil
		}
		filter.Cursor = *page.NextCursor
	}
}
