package payments

import (
	"context"
	"slices"
	"strings"
	"unicode"
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

// isOf says whether a transfer has the reference and the external id of the filter, as far as it has them.
func (f TransferFilter) isOf(t Transfer, same func(a, b string) bool) bool {
	return (f.Reference == "" || same(t.Reference, f.Reference)) && (f.ExternalID == "" || same(t.ExternalID, f.ExternalID))
}

// FirstTransfer is the transfer that has the reference and the external id of a filter; among several the one that was made
// first. That a service lists others is no reason to take them for it; but one whose texts differ in case and in spaces
// around them alone counts where there is no other, since a service may keep them so.
func FirstTransfer(ctx context.Context, service Transfers, filter TransferFilter) (transfer Transfer, found bool, err error) {
	return first(func(cursor string) ([]Transfer, *string, error) {
		filter.Cursor = cursor
		page, err := service.ListTransfers(ctx, filter)
		return page.Data, page.NextCursor, err
	}, filter.isOf)
}

// IsOfAnotherBatch says whether a transfer shows that it was not made by a batch, whatever its reference; empty: by none.
func (t *Transfer) IsOfAnotherBatch(batchID string) bool {
	return t.BatchID != "" && t.BatchID != batchID
}

// ReferenceFault says why a text cannot be the reference that makes a line repeatable; empty: it can. What nobody sees in it
// would make two references of one: a file with CRLF line ends, read by a shell, ends each last column with a CR.
func ReferenceFault(text string) string {
	switch {
	case strings.ContainsFunc(text, unicode.IsControl):
		return "holds a control character"
	case strings.TrimSpace(text) != text:
		return "begins or ends with a space"
	}
	return ""
}
