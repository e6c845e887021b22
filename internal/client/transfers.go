package client

import (
	"context"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// CreateAutoTransfer implements payments.Transfers. An answer that shows another reference or amount than was asked for is
// another transfer's.
func (c *Client) CreateAutoTransfer(ctx context.Context, transfer payments.NewAutoTransfer, key payments.Idempotency) (payments.Written[payments.Transfer], error) {
	asked := func(t *payments.Transfer) string {
		return askedFor(&payments.MadeTransfer{ID: t.ID, Reference: t.Reference, Amount: t.Amount}, transfer)
	}
	return write(ctx, c, call{op: &contract.CreateAutoTransfer, body: transfer, key: key}, asked, recovery[payments.Transfer]{
		read: c.transfer,
		find: c.findTransfer(transfer),
		of:   ofTransfer,
	})
}

// GetTransfer implements payments.Transfers.
func (c *Client) GetTransfer(ctx context.Context, transferID string, since payments.Condition) (payments.Reading[payments.Transfer], error) {
	return read(ctx, c, call{op: &contract.GetTransfer, params: []string{transferID}, since: since}, completeTransfer)
}

// ListTransfers implements payments.Transfers.
func (c *Client) ListTransfers(ctx context.Context, filter payments.TransferFilter) (payments.TransferPage, error) {
	query := pageQuery(filter.PageQuery,
		"accountId", filter.AccountID, "state", string(filter.State), "reference", filter.Reference,
		"externalId", filter.ExternalID, "batchId", filter.BatchID)
	page, _, err := perform(ctx, c, call{op: &contract.ListTransfers, query: query},
		func(page *payments.TransferPage) string { return lacks("data", page.Data != nil) })
	return page, err
}

// CancelTransfer implements payments.Transfers.
func (c *Client) CancelTransfer(ctx context.Context, transferID string, key payments.Idempotency) (payments.Written[payments.Transfer], error) {
	return write(ctx, c, call{op: &contract.CancelTransfer, params: []string{transferID}, key: key}, completeTransfer, recovery[payments.Transfer]{
		read: c.transfer,
		find: func(ctx context.Context) (payments.Transfer, bool, error) {
			transfer, err := c.transfer(ctx, transferID)
			return transfer, transfer.State == payments.TransferStateCanceled, err
		},
		of: ofTransfer,
	})
}

// transfer reads a transfer whatever is known of it.
func (c *Client) transfer(ctx context.Context, transferID string) (payments.Transfer, error) {
	reading, err := c.GetTransfer(ctx, transferID, payments.Condition{})
	return reading.Value, err
}

// findTransfer looks for a transfer by what its maker gave it; nil when that is nothing. Among several the first that was
// made counts. One of another batch or amount is not the one that is wanted, and an error.
func (c *Client) findTransfer(wanted payments.NewAutoTransfer) func(context.Context) (payments.Transfer, bool, error) {
	filter := payments.TransferFilter{Reference: wanted.Reference}
	if filter.Reference == "" {
		filter.ExternalID = wanted.ExternalID
	}
	if filter == (payments.TransferFilter{}) {
		return nil
	}
	return func(ctx context.Context) (payments.Transfer, bool, error) {
		transfer, found, err := payments.FirstTransfer(ctx, c, filter)
		switch {
		case err != nil || !found:
			return transfer, false, err
		case transfer.IsOfAnotherBatch(wanted.BatchID):
			return transfer, false, ofAnother(transfer, "which was made by the batch "+transfer.BatchID)
		case payments.MadeTransfer{Amount: transfer.Amount}.Contradicts(wanted) != "":
			return transfer, false, ofAnother(transfer, "whose amount is "+transfer.Amount.String()+" and not "+wanted.Amount.String())
		}
		return transfer, true, nil
	}
}

func ofTransfer(t payments.Transfer) (subject, state string) { return t.ID, string(t.State) }

func completeTransfer(transfer *payments.Transfer) string { return lacks("id", transfer.ID != "") }

// askedFor says what is wrong with the answer to a transfer; empty: nothing is.
func askedFor(made *payments.MadeTransfer, asked payments.NewAutoTransfer) string {
	if member := made.Contradicts(asked); member != "" {
		return "is of another transfer: its " + member + " is not the one that was asked for"
	}
	return lacks("id", made.ID != "")
}

// PrepareAutoTransfer is a CreateAutoTransfer that can be put down ahead and sent later, for whoever makes many.
func (c *Client) PrepareAutoTransfer(transfer payments.NewAutoTransfer, key payments.Idempotency) (payments.PreparedTransfer, error) {
	call := call{op: &contract.CreateAutoTransfer, body: transfer, key: key}
	body, err := call.encode()
	if err != nil {
		return payments.PreparedTransfer{}, err
	}
	marks := marks{transfer.Reference, transfer.ExternalID, transfer.BatchID}
	intent := marked(call.op.ID, key.Key, contract.Expand(c.route(call.op).path), body, marks)
	intent.World = c.World()
	return payments.PreparedTransfer{Request: transfer, Key: key, Intent: intent, Body: body}, nil
}

// SendAutoTransfer is CreateAutoTransfer of what was prepared. Of the answer, which has to be whole and well-formed, only what
// it returns is made sense of. One that shows another reference or amount than was asked for is another transfer's.
func (c *Client) SendAutoTransfer(ctx context.Context, p payments.PreparedTransfer) (payments.MadeTransfer, error) {
	find := c.findTransfer(p.Request)
	earlier := recovery[payments.MadeTransfer]{
		read: func(ctx context.Context, id string) (payments.MadeTransfer, error) {
			transfer, err := c.transfer(ctx, id)
			return payments.MadeTransfer{ID: transfer.ID, State: transfer.State}, err
		},
		of: func(made payments.MadeTransfer) (subject, state string) { return made.ID, string(made.State) },
	}
	if find != nil {
		earlier.find = func(ctx context.Context) (payments.MadeTransfer, bool, error) {
			transfer, found, err := find(ctx)
			return payments.MadeTransfer{ID: transfer.ID, State: transfer.State}, found, err
		}
	}
	made, _, err := once(ctx, c, keyed[payments.MadeTransfer]{
		intent: p.Intent,
		send: func(ctx context.Context, lost error) (payments.MadeTransfer, error) {
			call := call{op: &contract.CreateAutoTransfer, wire: p.Body, key: p.Key, lost: lost}
			made, _, err := perform(ctx, c, call, func(made *payments.MadeTransfer) string { return askedFor(made, p.Request) })
			return made, err
		},
		earlier: earlier,
	})
	return made, err
}
