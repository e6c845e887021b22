package client

import (
	"cmp"
	"context"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// CreateAutoTransfer implements payments.Transfers.
func (c *Client) CreateAutoTransfer(
	ctx context.Context, transfer payments.NewAutoTransfer, key payments.Idempotency,
) (payments.WriteResult[payments.Transfer], error) {
	return c.createAutoTransfer(ctx, transfer, transfer, key)
}

// SendAutoTransfer is CreateAutoTransfer for a request that Encode has encoded.
func (c *Client) SendAutoTransfer(
	ctx context.Context, request payments.NewAutoTransfer, body []byte, key payments.Idempotency,
) (payments.WriteResult[payments.Transfer], error) {
	return c.createAutoTransfer(ctx, request, body, key)
}

// createAutoTransfer creates a transfer. A response that shows another reference or amount than the request belongs to
// another transfer.
func (c *Client) createAutoTransfer(
	ctx context.Context, request payments.NewAutoTransfer, body any, key payments.Idempotency,
) (payments.WriteResult[payments.Transfer], error) {
	call := operationCall{op: &contract.CreateAutoTransfer, body: body, key: key}
	return write(ctx, c, call, func(created *payments.Transfer) string {
		if contradiction := created.Contradicts(request); contradiction != "" {
			return "is of another transfer: " + contradiction
		}
		return checkTransfer(created)
	})
}

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
		func(page *payments.TransferPage) string { return missing("data", page.Data != nil) })
}

// CancelTransfer implements payments.Transfers.
func (c *Client) CancelTransfer(
	ctx context.Context, transferID string, key payments.Idempotency,
) (payments.WriteResult[payments.Transfer], error) {
	call := operationCall{op: &contract.CancelTransfer, params: []string{transferID}, key: key}
	return write(ctx, c, call, transferWithID(transferID))
}

// transferWithID returns the check of a response that must show the transfer with an identifier.
func transferWithID(id string) func(*payments.Transfer) string {
	return func(transfer *payments.Transfer) string {
		return cmp.Or(checkTransfer(transfer), otherText("id", transfer.ID, id))
	}
}

func checkTransfer(transfer *payments.Transfer) string { return missing("id", transfer.ID != "") }
