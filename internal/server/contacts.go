package server

import (
	"net/http"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

func (c *call) createSavedContact() error {
	request, key, err := decodeKeyed(c, func(contact payments.NewSavedContact) payments.FieldErrors {
		return c.session.Checks.CheckNewSavedContact(c.r.Context(), contact)
	})
	if err != nil {
		return err
	}
	contact, err := c.session.Service.CreateSavedContact(c.r.Context(), request, key)
	if err != nil {
		return err
	}
	return replyWritten(c, &contact, contact.Value.AppendJSON, contract.Expand(contract.GetSavedContact.Path, contact.Value.ID))
}

func (c *call) getSavedContact() error {
	contact, err := c.session.Service.GetSavedContact(c.r.Context(), c.r.PathValue("savedContactId"))
	if err != nil {
		return err
	}
	return c.reply(contact)
}

func (c *call) listSavedContacts() error {
	query := c.r.URL.Query()
	list, err := c.session.Service.ListSavedContacts(c.r.Context(), payments.SavedContactFilter{
		PageQuery: pageQuery(query),
		AccountID: query.Get("accountId"),
	})
	if err != nil {
		return err
	}
	return c.reply(list)
}

func (c *call) deleteSavedContact() error {
	if err := c.session.Service.DeleteSavedContact(c.r.Context(), c.r.PathValue("savedContactId")); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
