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
		created := &store.Event{Type: payments.EventTypeAccountCreated, SubjectID: account.ID, Data: payments.EventData{ExternalID: account.ExternalID}}
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
	data := payments.EventData{Attempt: account.KYC.Attempt, Reasons: account.KYC.Reasons, ExternalID: account.ExternalID}
	if account.KYC.RejectType != nil {
		data.RejectType = *account.KYC.RejectType
	}
	return w.happened(&store.Event{
		Type: payments.EventTypeKYCStatusChanged, SubjectID: account.ID, From: from, To: string(account.KYCStatus), Data: data,
	})
}

// tellTransfer adds to the log what saving a transfer changes: that it came to be, or its state.
func (w *work) tellTransfer(transfer *store.Transfer) error {
	// The log keeps an event with its sides or none of it, so they are one allocation.
	told := &struct {
		event               store.Event
		source, destination payments.TransferSide
	}{source: transfer.Source, destination: transfer.Destination}
	event := &told.event
	*event = store.Event{
		Type: payments.EventTypeTransferStateChanged, SubjectID: transfer.ID, To: string(transfer.State),
		Data: payments.EventData{
			AccountID: transfer.AccountID, ExternalID: transfer.ExternalID, Reference: transfer.Reference, BatchID: transfer.BatchID,
			Route: transfer.Route, Source: &told.source, Destination: &told.destination, Refund: transfer.Refund,
		},
	}
	before, err := w.Transfers().Get(transfer.ID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		event.Type = payments.EventTypeTransferCreated
	case err != nil:
		return err
	case before.State == transfer.State:
		return nil
	default:
		event.From = string(before.State)
	}
	if transfer.FailureReason != nil {
		event.Data.FailureReason = *transfer.FailureReason
	}
	if transfer.ReturnCode != nil {
		event.Data.ReturnCode = *transfer.ReturnCode
	}
	return w.happened(event)
}

// tellContact adds to the log that a saved contact came to be or was deleted.
func (w *work) tellContact(kind payments.EventType, contact *store.Contact) error {
	return w.happened(&store.Event{
		Type: kind, SubjectID: contact.ID, Data: payments.EventData{AccountID: contact.AccountID, Label: contact.Label},
	})
}
