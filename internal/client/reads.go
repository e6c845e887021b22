package client

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/dialect"
	"github.com/payctl/payctl/internal/payments"
)

// The checks of what was asked for by an id accept a resource that does not show its id.

// GetAccount implements payments.Service.
func (c *Client) GetAccount(
	ctx context.Context, id string, since payments.ReadOptions,
) (payments.ReadResult[payments.Account], error) {
	return read(ctx, c, &contract.GetAccount, id, since, func(account *payments.Account) string {
		return cmp.Or(isNothing(account.Document), otherID(account.ID, id))
	})
}

// ListAccounts implements payments.Service.
func (c *Client) ListAccounts(ctx context.Context, filter payments.AccountFilter) (payments.AccountPage, error) {
	query := pageQuery(filter.PageQuery,
		"kycStatus", joined(filter.KYCStatuses), "email", filter.Email, "externalId", filter.ExternalID)
	return fetch(ctx, c, operationCall{op: &contract.ListAccounts, query: query},
		func(page *payments.AccountPage) string { return checkPage(page.Data != nil, &page.NextCursor) })
}

// GetSavedContact implements payments.Service.
func (c *Client) GetSavedContact(
	ctx context.Context, id string, since payments.ReadOptions,
) (payments.ReadResult[payments.SavedContact], error) {
	return read(ctx, c, &contract.GetSavedContact, id, since, func(contact *payments.SavedContact) string {
		return cmp.Or(isNothing(contact.Document), otherID(contact.ID, id))
	})
}

// ListSavedContacts implements payments.Service.
func (c *Client) ListSavedContacts(
	ctx context.Context, filter payments.SavedContactFilter,
) (payments.SavedContactPage, error) {
	query := pageQuery(filter.PageQuery,
		"accountId", filter.AccountID, "externalId", filter.ExternalID, "label", filter.Label)
	return fetch(ctx, c, operationCall{op: &contract.ListSavedContacts, query: query},
		func(page *payments.SavedContactPage) string { return checkPage(page.Data != nil, &page.NextCursor) })
}

// DeleteSavedContact implements payments.Service.
func (c *Client) DeleteSavedContact(ctx context.Context, id string) error {
	return c.callForNoContent(ctx, operationCall{op: &contract.DeleteSavedContact, params: []string{id}})
}

// GetTransfer implements payments.Service.
func (c *Client) GetTransfer(
	ctx context.Context, id string, since payments.ReadOptions,
) (payments.ReadResult[payments.Transfer], error) {
	return read(ctx, c, &contract.GetTransfer, id, since, func(transfer *payments.Transfer) string {
		transfer.Complete()
		return cmp.Or(isNothing(transfer.Document), otherID(transfer.ID, id))
	})
}

// ListTransfers implements payments.Service.
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

// SelectRoutes implements payments.Service.
func (c *Client) SelectRoutes(ctx context.Context, selection payments.RouteSelection) (payments.TransferInfo, error) {
	return fetch(ctx, c, operationCall{op: &contract.SelectRoutes, body: selection},
		func(info *payments.TransferInfo) string { return missing("routes", info.Routes != nil) })
}

// GetKYCStatus implements payments.Service. The account is the one that was asked for, where the service does not show
// another.
func (c *Client) GetKYCStatus(
	ctx context.Context, accountID string, since payments.ReadOptions,
) (payments.ReadResult[payments.KYC], error) {
	return read(ctx, c, &contract.GetKYCStatus, accountID, since, func(kyc *payments.KYC) string {
		kyc.AccountID = cmp.Or(kyc.AccountID, accountID)
		return isNothing(kyc.Document)
	})
}

// readKYC reads the identity check of an account from a document.
func (c *Client) readKYC(document jsontext.Value, accountID string) (kyc payments.KYC) {
	_ = payments.Read(document, &kyc, c.dialect.TranslateType) // a text that is no JSON has no status
	kyc.AccountID = cmp.Or(kyc.AccountID, accountID)
	return kyc
}

// Read reads a resource by an operation of the contract, or by a path that the service has named if the operation is
// empty. It returns the document as the service sent it.
func (c *Client) Read(ctx context.Context, operation string, params ...string) (jsontext.Value, error) {
	if operation == "" {
		response, err := c.Get(ctx, params[0])
		if err != nil {
			return nil, err
		}
		return response.Body, nil
	}
	if operation == contract.GetKYCStatus.ID {
		kyc, err := c.GetKYCStatus(ctx, params[0], payments.ReadOptions{})
		if err != nil {
			return nil, err
		}
		return payments.Encode(kyc.Value)
	}
	op := contract.Find(operation)
	return fetch(ctx, c, operationCall{op: op, params: params}, func(document *jsontext.Value) string {
		*document = c.dialect.Translate(dialect.ResourceOf(op), *document)
		id := payments.Text(*document, "id")
		return cmp.Or(missing("id", id != ""), otherID(id, params[0]))
	})
}

// List reads a page of a list by an operation of the contract.
func (c *Client) List(ctx context.Context, operation string, query url.Values) (payments.Rows, error) {
	type page struct {
		Data       []jsontext.Value `json:"data"`
		NextCursor jsontext.Value   `json:"nextCursor"`
	}
	op := contract.Find(operation)
	read, err := fetch(ctx, c, operationCall{op: op, query: query}, func(p *page) string {
		return missing("data", p.Data != nil)
	})
	if err != nil {
		return payments.Rows{}, err
	}
	rows := payments.Rows{Documents: read.Data}
	for i, document := range rows.Documents {
		rows.Documents[i] = c.dialect.Translate(dialect.ResourceOf(op), document)
	}
	_ = json.Unmarshal(read.NextCursor, &rows.Next) // what is no text is no cursor
	isEnd := read.NextCursor.Kind() == 'n' || string(read.NextCursor) == `""`
	rows.Ends = isEnd || len(read.NextCursor) == 0 && len(read.Data) == 0
	return rows, nil
}

// pageQuery returns the query of a list: what every list takes, and filters as pairs of name and value. Empty values
// are left out.
func pageQuery(page payments.PageQuery, filters ...string) url.Values {
	filters = append(filters, "cursor", page.Cursor)
	if page.Limit != 0 {
		filters = append(filters, "limit", strconv.Itoa(page.Limit))
	}
	for name, at := range map[string]time.Time{"createdAfter": page.CreatedAfter, "createdBefore": page.CreatedBefore} {
		if !at.IsZero() {
			filters = append(filters, name, at.UTC().Format(time.RFC3339Nano))
		}
	}
	query := url.Values{}
	for pair := range slices.Chunk(filters, 2) {
		if pair[1] != "" {
			query.Set(pair[0], pair[1])
		}
	}
	return query
}

// joined writes a list for a query parameter whose values are separated by commas.
func joined[T ~string](values []T) string {
	var text string
	for i, value := range values {
		if i > 0 {
			text += ","
		}
		text += string(value)
	}
	return text
}
