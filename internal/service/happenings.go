package service

import (
	"errors"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// tellAccount adds to the log what saving an account changes: that it came to be, and the status of its identity check.
func (w *work) tellAccount(account *store.Account) error {
	from := ""
	before, err := w.Accounts().Get(account.ID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		created := &store.Event{Type: payments.EventTypeAccountCreated, SubjectID: account.ID, Of: store.Told{ExternalID: account.ExternalID}}
		if err := w.happened(created); err != nil {
			return err
		}
	case err != nil:
		return err
	case before.KYCStatus == account.KYCStatus:
		return nil
	default:
		from = string(before.KYCStatus)
	}
	data := store.Told{Attempt: account.KYC.Attempt, Reasons: account.KYC.Reasons, ExternalID: account.ExternalID}
	if account.KYC.RejectType != nil {
		data.RejectType = *account.KYC.RejectType
	}
	return w.happened(&store.Event{
		Type: payments.EventTypeKYCStatusChanged, SubjectID: account.ID, From: from, To: string(account.KYCStatus), Of: data,
	})
}

// tellTransfer adds to the log that a transfer came to be, or that it left a state. What it then is it stays.
func (w *work) tellTransfer(transfer *store.Transfer, from payments.TransferState) error {
	event := &store.Event{Type: payments.EventTypeTransferStateChanged, SubjectID: transfer.ID, From: string(from), To: string(transfer.State), Of: transfer}
	if from == "" {
		event.Type = payments.EventTypeTransferCreated
	}
	return w.happened(event)
}

// tellContact adds to the log that a saved contact came to be or was deleted.
func (w *work) tellContact(kind payments.EventType, contact *store.Contact) error {
	return w.happened(&store.Event{
		Type: kind, SubjectID: contact.ID, Of: store.Told{AccountID: contact.AccountID, Label: contact.Label},
	})
}
