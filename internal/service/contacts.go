package service

import (
	"context"
	"fmt"
	"strings"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// CreateSavedContact implements payments.Service.
func (s *Service) CreateSavedContact(
	ctx context.Context, request payments.NewSavedContact, key WriteKey,
) (Written[payments.SavedContact], error) {
	return applyOnce(ctx, s, "createSavedContact", key, func(w *work) (payments.SavedContact, error) {
		checked, errors, err := s.checkContact(w, request)
		if err != nil {
			return payments.SavedContact{}, err
		}
		if len(errors) > 0 {
			return payments.SavedContact{}, payments.NewValidationProblem(errors)
		}
		if _, err := get(w.Accounts(), "account", checked.AccountID); err != nil {
			return payments.SavedContact{}, err
		}
		id, err := newID(s, w, prefixContact, w.Contacts())
		if err != nil {
			return payments.SavedContact{}, err
		}
		contact := &store.Contact{NewSavedContact: checked, ID: id, At: w.now}
		if err := w.appendContactEvent(payments.EventTypeContactCreated, contact); err != nil {
			return payments.SavedContact{}, err
		}
		return showContact(contact), w.Contacts().Put(contact)
	})
}

// CheckNewSavedContact returns the fields of a new contact that are wrong beyond its schema.
func (s *Service) CheckNewSavedContact(
	ctx context.Context, request payments.NewSavedContact,
) payments.FieldErrors {
	errors, _ := view(ctx, s, func(w *work) (payments.FieldErrors, error) { // the handler gets the same error
		_, errors, err := s.checkContact(w, request)
		return errors, err
	})
	return errors
}

// checkContact returns the fields that are wrong in a new contact. The returned contact has normalized coordinates.
// Without an account it gets the client's only one.
func (s *Service) checkContact(
	w *work, request payments.NewSavedContact,
) (payments.NewSavedContact, payments.FieldErrors, error) {
	checked, errors := request.Check()
	if _, ok := s.catalogue.Endpoint(request.PaymentRail, request.Currency); !ok && len(errors["paymentRail"]) == 0 {
		errors.Add("currency", fmt.Sprintf("The currency field must be one that the rail %s carries: %s.",
			request.PaymentRail, strings.Join(s.catalogue.Currencies(request.PaymentRail), ", ")))
	}
	if checked.AccountID != "" {
		return checked, errors, nil
	}
	accounts, err := w.Accounts().List(store.Query{Limit: 2})
	switch {
	case err != nil:
		return checked, nil, err
	case len(accounts) == 1:
		checked.AccountID = accounts[0].ID
	default:
		errors.Add("accountId", payments.RequiredMessage("accountId"))
	}
	return checked, errors, nil
}

// GetSavedContact implements payments.Service. It does not wait for a change.
func (s *Service) GetSavedContact(
	ctx context.Context, savedContactID string, options ReadOptions,
) (State[payments.SavedContact], error) {
	return view(ctx, s, func(w *work) (result State[payments.SavedContact], err error) {
		record, err := get(w.Contacts(), "saved contact", savedContactID)
		if err != nil {
			return result, err
		}
		show := func() payments.SavedContact { return showContact(record) }
		return readResult(w, s.entityTag(w, record.Edits), options, show)
	})
}

// showContact returns a contact as clients see it.
func showContact(c *store.Contact) payments.SavedContact { return c.Saved(c.ID, c.At) }

// ListSavedContacts implements payments.Service.
func (s *Service) ListSavedContacts(
	ctx context.Context, filter payments.SavedContactFilter,
) (payments.SavedContactPage, error) {
	return view(ctx, s, func(w *work) (payments.SavedContactPage, error) {
		where := selection[store.Contact]{where: map[string][]string{
			store.ColumnAccount: {filter.AccountID}, store.ColumnExternalID: {filter.ExternalID},
			store.ColumnLabel: {filter.Label},
		}}
		rows, next, err := page(w, w.Contacts(), prefixContact, filter.PageQuery, where)
		return payments.SavedContactPage{Data: convert(rows, showContact), NextCursor: next}, err
	})
}

// DeleteSavedContact implements payments.Service. Transfers to the contact continue.
func (s *Service) DeleteSavedContact(ctx context.Context, savedContactID string) error {
	return s.update(ctx, func(w *work) error {
		contact, err := get(w.Contacts(), "saved contact", savedContactID)
		if err != nil {
			return err
		}
		if err := w.require(s.entityTag(w, contact.Edits)); err != nil {
			return err
		}
		if err := w.appendContactEvent(payments.EventTypeContactDeleted, contact); err != nil {
			return err
		}
		return w.Contacts().Delete(savedContactID)
	})
}
