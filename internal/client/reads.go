package client

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/effect"
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
	return payments.ReadResult[T]{Value: value, ETag: field(response, "ETag")}, nil
}

// GetAccount implements payments.Service.
func (c *Client) GetAccount(ctx context.Context, id string) (payments.ReadResult[payments.Account], error) {
	return read(ctx, c, &contract.GetAccount, id, func(account *payments.Account) string { return account.ID })
}

// ListAccounts implements payments.Service.
func (c *Client) ListAccounts(ctx context.Context, filter payments.AccountFilter) (payments.AccountPage, error) {
	query := pageQuery(filter.PageQuery,
		"kycStatus", joined(filter.KYCStatuses), "email", filter.Email, "externalId", filter.ExternalID)
	page, end, err := fetchPage[payments.AccountPage](ctx, c, &contract.ListAccounts, query)
	page.NextCursor, page.End = cursorOf(end)
	return page, err
}

// GetSavedContact implements payments.Service.
func (c *Client) GetSavedContact(ctx context.Context, id string) (payments.ReadResult[payments.SavedContact], error) {
	return read(ctx, c, &contract.GetSavedContact, id, func(contact *payments.SavedContact) string { return contact.ID })
}

// ListSavedContacts implements payments.Service.
func (c *Client) ListSavedContacts(
	ctx context.Context, filter payments.SavedContactFilter,
) (payments.SavedContactPage, error) {
	query := pageQuery(filter.PageQuery, "accountId", filter.AccountID, "externalId", filter.ExternalID, "label",
		filter.Label)
	page, end, err := fetchPage[payments.SavedContactPage](ctx, c, &contract.ListSavedContacts, query)
	page.NextCursor, page.End = cursorOf(end)
	return page, err
}

// DeleteSavedContact deletes a contact, and returns the status of the answer.
func (c *Client) DeleteSavedContact(ctx context.Context, id string) (status int, err error) {
	call := operationCall{op: &contract.DeleteSavedContact, params: []string{id}}
	response, err := c.call(ctx, call, acceptNoContent)
	if response == nil {
		return 0, err
	}
	return response.Status, err
}

// GetTransfer implements payments.Service.
func (c *Client) GetTransfer(ctx context.Context, id string) (payments.ReadResult[payments.Transfer], error) {
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
	page, end, err := fetchPage[payments.TransferPage](ctx, c, &contract.ListTransfers, query)
	for i := range page.Data {
		page.Data[i].Complete()
	}
	page.NextCursor, page.End = cursorOf(end)
	return page, err
}

// fetchPage reads a page of a list, not from a cache.
func fetchPage[P any](
	ctx context.Context, c *Client, op *contract.Operation, query url.Values,
) (page P, shown servicemap.Shown, err error) {
	page, response, err := fetchWithResponse[P](ctx, c,
		operationCall{op: op, query: query, isFresh: true, shown: &shown}, nil)
	// A proxy's page does not speak for the service.
	isNone := response != nil && response.Status == http.StatusNotFound &&
		(len(response.Body) == 0 || isJSON(mediaType(response)))
	if isNone && c.config.ServiceMap.FindsOne(op, query) {
		return page, servicemap.Shown{End: payments.ListEnds}, nil
	}
	return page, shown, err
}

// cursorOf returns the cursor after a page. Nil means that there is none.
func cursorOf(page servicemap.Shown) (*string, payments.ListEnd) {
	if page.Next == "" {
		return nil, page.End
	}
	return &page.Next, page.End
}

// SelectRoutes implements payments.Service.
func (c *Client) SelectRoutes(ctx context.Context, selection payments.RouteSelection) (payments.TransferInfo, error) {
	return fetch[payments.TransferInfo](ctx, c, operationCall{op: &contract.SelectRoutes, body: selection})
}

// GetKYCStatus implements payments.Service. If the service does not show the account, it is the one that was asked for.
func (c *Client) GetKYCStatus(ctx context.Context, accountID string) (payments.ReadResult[payments.KYC], error) {
	return read(ctx, c, &contract.GetKYCStatus, accountID, func(kyc *payments.KYC) string {
		shown := kyc.AccountID
		kyc.AccountID = cmp.Or(shown, accountID)
		return shown
	})
}

// readKYC reads the identity check of an account from a document.
func (c *Client) readKYC(document jsontext.Value, accountID string) (kyc payments.KYC) {
	_ = effect.Read(document, &kyc) // a text that is not JSON has no status
	kyc.AccountID = cmp.Or(kyc.AccountID, accountID)
	return kyc
}

// Read reads a resource by an operation, not from a cache. A nil operation reads a path that the service has named. The
// document is in the contract's terms.
func (c *Client) Read(ctx context.Context, op *contract.Operation, params ...string) (jsontext.Value, error) {
	if op == nil {
		response, err := c.Get(ctx, params[0])
		if err != nil {
			return nil, err
		}
		return response.Body, nil
	}
	if op == &contract.GetKYCStatus {
		kyc, err := c.GetKYCStatus(ctx, params[0])
		if err != nil {
			return nil, err
		}
		return payments.Encode(kyc.Value)
	}
	call := operationCall{op: op, params: params, isFresh: true}
	document, _, err := fetchWithResponse(ctx, c, call, func(document *jsontext.Value) string {
		id := effect.Text(*document, "id")
		switch {
		case id == "":
			return "the JSON body has no id"
		case strings.EqualFold(id, params[0]): // services that ignore letter case answer with their own spelling
			return ""
		}
		return otherID(id, params[0])
	})
	return document, err
}

// List reads a page of a list by an operation of the contract.
func (c *Client) List(ctx context.Context, op *contract.Operation, query url.Values) (effect.Rows, error) {
	_, shown, err := fetchPage[struct{}](ctx, c, op, query)
	return effect.Rows{Documents: shown.Rows, Next: shown.Next}, err
}

// pageQuery returns the query of a list. Filters are pairs of name and value. Empty values are left out.
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

// joined writes the values of a query parameter, separated by commas.
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
