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
	options := x.readOptions()
	result, err := x.session.Service.GetSavedContact(x.ctx, x.r.PathValue("savedContactId"), options)
	return replyRead(x, options, result, err)
}

func (x *exchange) handleUpdateSavedContact() error {
	contact := x.r.PathValue("savedContactId")
	patch, key, err := decodeWrite(x, func(patch payments.SavedContactPatch) payments.FieldErrors {
		return x.session.Checks.CheckSavedContactPatch(x.ctx, contact, patch)
	})
	if err != nil {
		return err
	}
	updated, err := x.session.Service.UpdateSavedContact(x.ctx, contact, patch, key)
	return replyWrite(x, &updated, "", err)
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
