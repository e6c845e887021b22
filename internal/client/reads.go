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

// read reads the resource with an id, unconditionally. It accepts one that does not show its id.
func read[T any](
	ctx context.Context, c *Client, op *contract.Operation, id string, idOf func(*T) string,
) (payments.ReadResult[T], error) {
	value, response, err := fetchWithResponse(ctx, c, operationCall{op: op, params: []string{id}}, func(value *T) string {
		return otherID(idOf(value), id)
	})
	if err != nil {
		return payments.ReadResult[T]{}, err
	}
	return payments.ReadResult[T]{Value: value, ETag: response.Header.Get("ETag")}, nil
}

// GetAccount implements payments.Service.
func (c *Client) GetAccount(
	ctx context.Context, id string, _ payments.ReadOptions,
) (payments.ReadResult[payments.Account], error) {
	return read(ctx, c, &contract.GetAccount, id, func(account *payments.Account) string { return account.ID })
}

// ListAccounts implements payments.Service.
func (c *Client) ListAccounts(ctx context.Context, filter payments.AccountFilter) (payments.AccountPage, error) {
	query := pageQuery(filter.PageQuery,
		"kycStatus", joined(filter.KYCStatuses), "email", filter.Email, "externalId", filter.ExternalID)
	page, err := fetch[payments.AccountPage](ctx, c, operationCall{op: &contract.ListAccounts, query: query})
	page.NextCursor = cursorOf(page.NextCursor)
	return page, err
}

// GetSavedContact implements payments.Service.
func (c *Client) GetSavedContact(
	ctx context.Context, id string, _ payments.ReadOptions,
) (payments.ReadResult[payments.SavedContact], error) {
	return read(ctx, c, &contract.GetSavedContact, id, func(contact *payments.SavedContact) string { return contact.ID })
}

// ListSavedContacts implements payments.Service.
func (c *Client) ListSavedContacts(
	ctx context.Context, filter payments.SavedContactFilter,
) (payments.SavedContactPage, error) {
	query := pageQuery(filter.PageQuery, "accountId", filter.AccountID, "externalId", filter.ExternalID, "label", filter.Label)
	page, err := fetch[payments.SavedContactPage](ctx, c, operationCall{op: &contract.ListSavedContacts, query: query})
	page.NextCursor = cursorOf(page.NextCursor)
	return page, err
}

// DeleteSavedContact implements payments.Service.
func (c *Client) DeleteSavedContact(ctx context.Context, id string) error {
	return c.callForNoContent(ctx, operationCall{op: &contract.DeleteSavedContact, params: []string{id}})
}

// GetTransfer implements payments.Service.
func (c *Client) GetTransfer(
	ctx context.Context, id string, _ payments.ReadOptions,
) (payments.ReadResult[payments.Transfer], error) {
	return read(ctx, c, &contract.GetTransfer, id, func(transfer *payments.Transfer) string {
		transfer.Complete()
		return transfer.ID
	})
}

// ListTransfers implements payments.Service.
func (c *Client) ListTransfers(ctx context.Context, filter payments.TransferFilter) (payments.TransferPage, error) {
	query := pageQuery(filter.PageQuery,
		"accountId", filter.AccountID, "destinationSavedContactId", filter.ContactID, "route", filter.Route,
		"state", joined(filter.States), "reference", filter.Reference, "externalId", filter.ExternalID,
		"batchId", filter.BatchID)
	page, err := fetch[payments.TransferPage](ctx, c, operationCall{op: &contract.ListTransfers, query: query})
	for i := range page.Data {
		page.Data[i].Complete()
	}
	page.NextCursor = cursorOf(page.NextCursor)
	return page, err
}

// cursorOf returns the cursor of a page; nil where services write that there is none. An empty cursor ends the list.
func cursorOf(next *string) *string {
	if next != nil && slices.Contains([]string{"", "false", "null"}, *next) {
		return nil
	}
	return next
}

// SelectRoutes implements payments.Service.
func (c *Client) SelectRoutes(ctx context.Context, selection payments.RouteSelection) (payments.TransferInfo, error) {
	return fetch[payments.TransferInfo](ctx, c, operationCall{op: &contract.SelectRoutes, body: selection})
}

// GetKYCStatus implements payments.Service. The account is the one that was asked for, where the service does not show
// another.
func (c *Client) GetKYCStatus(
	ctx context.Context, accountID string, _ payments.ReadOptions,
) (payments.ReadResult[payments.KYC], error) {
	return read(ctx, c, &contract.GetKYCStatus, accountID, func(kyc *payments.KYC) string {
		kyc.AccountID = cmp.Or(kyc.AccountID, accountID)
		return ""
	})
}

// readKYC reads the identity check of an account from a document.
func (c *Client) readKYC(document jsontext.Value, accountID string) (kyc payments.KYC) {
	_ = payments.Read(document, &kyc, c.config.Differences.TranslateType) // a text that is no JSON has no status
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
	document, _, err := fetchWithResponse(ctx, c, operationCall{op: op, params: params}, func(document *jsontext.Value) string {
		*document = c.config.Differences.Translate(dialect.ResourceOf(op), *document)
		id := payments.Text(*document, "id")
		if id == "" {
			return "the JSON body has no id"
		}
		return otherID(id, params[0])
	})
	return document, err
}

// List reads a page of a list by an operation of the contract.
func (c *Client) List(ctx context.Context, operation string, query url.Values) (payments.Rows, error) {
	type page struct {
		Data       []jsontext.Value `json:"data"`
		NextCursor jsontext.Value   `json:"nextCursor"`
	}
	op := contract.Find(operation)
	read, err := fetch[page](ctx, c, operationCall{op: op, query: query})
	if err != nil {
		return payments.Rows{}, err
	}
	rows := payments.Rows{Documents: read.Data}
	for i, document := range rows.Documents {
		rows.Documents[i] = c.config.Differences.Translate(dialect.ResourceOf(op), document)
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
