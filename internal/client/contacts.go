package client

import (
	"context"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// CreateSavedContact implements payments.SavedContacts.
func (c *Client) CreateSavedContact(ctx context.Context, contact payments.NewSavedContact, key payments.Idempotency) (payments.Written[payments.SavedContact], error) {
	return write(ctx, c, call{op: &contract.CreateSavedContact, body: contact, key: key}, completeSavedContact, recovery[payments.SavedContact]{
		read: c.GetSavedContact,
		of:   func(s payments.SavedContact) (subject, state string) { return s.ID, "" },
	})
}

// GetSavedContact implements payments.SavedContacts.
func (c *Client) GetSavedContact(ctx context.Context, savedContactID string) (payments.SavedContact, error) {
	contact, _, err := perform(ctx, c, call{op: &contract.GetSavedContact, params: []string{savedContactID}}, completeSavedContact)
	return contact, err
}

// ListSavedContacts implements payments.SavedContacts.
func (c *Client) ListSavedContacts(ctx context.Context, filter payments.SavedContactFilter) (payments.SavedContactPage, error) {
	query := pageQuery(filter.PageQuery, "accountId", filter.AccountID)
	page, _, err := perform(ctx, c, call{op: &contract.ListSavedContacts, query: query},
		func(page *payments.SavedContactPage) string { return lacks("data", page.Data != nil) })
	return page, err
}

// DeleteSavedContact implements payments.SavedContacts.
func (c *Client) DeleteSavedContact(ctx context.Context, savedContactID string) error {
	_, err := c.call(ctx, call{op: &contract.DeleteSavedContact, params: []string{savedContactID}}, nil)
	return err
}

func completeSavedContact(contact *payments.SavedContact) string {
	return lacks("id", contact.ID != "")
}
