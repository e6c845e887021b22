package client

import (
	"cmp"
	"context"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// GetSavedContact implements payments.SavedContacts.
func (c *Client) GetSavedContact(
	ctx context.Context, savedContactID string, since payments.ReadOptions,
) (payments.ReadResult[payments.SavedContact], error) {
	call := operationCall{op: &contract.GetSavedContact, params: []string{savedContactID}, since: since}
	return read(ctx, c, call, contactWithID(savedContactID))
}

// ListSavedContacts implements payments.SavedContacts.
func (c *Client) ListSavedContacts(
	ctx context.Context, filter payments.SavedContactFilter,
) (payments.SavedContactPage, error) {
	query := pageQuery(filter.PageQuery,
		"accountId", filter.AccountID, "externalId", filter.ExternalID, "label", filter.Label)
	return fetch(ctx, c, operationCall{op: &contract.ListSavedContacts, query: query},
		func(page *payments.SavedContactPage) string { return checkPage(page.Data != nil, &page.NextCursor) })
}

// DeleteSavedContact implements payments.SavedContacts.
func (c *Client) DeleteSavedContact(ctx context.Context, savedContactID string) error {
	return c.callForNoContent(ctx, operationCall{op: &contract.DeleteSavedContact, params: []string{savedContactID}})
}

// contactWithID returns the check of a response to the question for the contact with an identifier. One that does not show its
// id is shown all the same.
func contactWithID(id string) func(*payments.SavedContact) string {
	return func(contact *payments.SavedContact) string {
		return cmp.Or(isNothing(contact.Document), otherID(contact.ID, id))
	}
}
