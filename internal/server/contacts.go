package server

import (
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

func (x *exchange) handleCreateSavedContact() error {
	request, key, err := decodeWrite(x, func(contact payments.NewSavedContact) payments.FieldErrors {
		return x.session.Checks.CheckNewSavedContact(x.ctx, contact)
	})
	if err != nil {
		return err
	}
	contact, err := x.session.Service.CreateSavedContact(x.ctx, request, key)
	return replyWrite(x, &contact, contract.Expand(contract.GetSavedContact.Path, contact.Value.ID), err)
}

func (x *exchange) handleGetSavedContact() error {
	return x.reply(x.session.Service.GetSavedContact(x.ctx, x.r.PathValue("savedContactId")))
}

func (x *exchange) handleListSavedContacts() error {
	query := x.r.URL.Query()
	return x.reply(x.session.Service.ListSavedContacts(x.ctx, payments.SavedContactFilter{
		PageQuery:  parsePageQuery(query),
		AccountID:  query.Get("accountId"),
		ExternalID: query.Get("externalId"),
		Label:      query.Get("label"),
	}))
}

func (x *exchange) handleDeleteSavedContact() error {
	return x.replyNoContent(x.session.Service.DeleteSavedContact(x.ctx, x.r.PathValue("savedContactId")))
}
