package client

import (
	"cmp"
	"context"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// GetTransfer implements payments.Transfers.
func (c *Client) GetTransfer(
	ctx context.Context, transferID string, since payments.ReadOptions,
) (payments.ReadResult[payments.Transfer], error) {
	call := operationCall{op: &contract.GetTransfer, params: []string{transferID}, since: since}
	return read(ctx, c, call, transferWithID(transferID))
}

// ListTransfers implements payments.Transfers.
func (c *Client) ListTransfers(ctx context.Context, filter payments.TransferFilter) (payments.TransferPage, error) {
	query := pageQuery(filter.PageQuery,
		"accountId", filter.AccountID, "destinationSavedContactId", filter.ContactID, "route", filter.Route,
		"state", joined(filter.States), "reference", filter.Reference, "externalId", filter.ExternalID,
		"batchId", filter.BatchID)
	return fetch(ctx, c, operationCall{op: &contract.ListTransfers, query: query},
		func(page *payments.TransferPage) string {
			for i := range page.Data {
				page.Data[i].Complete()
			}
			return checkPage(page.Data != nil, &page.NextCursor)
		})
}

// transferWithID returns the check of a response to the question for the transfer with an identifier. One that does not show its
// id is shown all the same.
func transferWithID(id string) func(*payments.Transfer) string {
	return func(transfer *payments.Transfer) string {
		transfer.Complete()
		return cmp.Or(isNothing(transfer.Document), otherID(transfer.ID, id))
	}
}
