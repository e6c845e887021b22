package service

import (
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// appendAccountEvents adds the creation of an account, or the change of its identity check's status, to the log. Before
// is nil for a new account.
func (w *work) appendAccountEvents(before, account *store.Account) error {
	from := ""
	switch {
	case before == nil:
		if err := w.appendEvent(&store.Event{
			Type: payments.EventTypeAccountCreated, SubjectID: account.ID,
			Data: payments.EventData{ExternalID: account.ExternalID},
		}); err != nil {
			return err
		}
	case before.KYCStatus == account.KYCStatus:
		return nil
	default:
		from = string(before.KYCStatus)
	}
	data := payments.EventData{Attempt: account.KYC.Attempt, Reasons: account.KYC.Reasons, ExternalID: account.ExternalID}
	if account.KYC.RejectType != nil {
		data.RejectType = *account.KYC.RejectType
	}
	return w.appendEvent(&store.Event{
		Type: payments.EventTypeKYCStatusChanged, SubjectID: account.ID,
		From: from, To: string(account.KYCStatus), Data: data,
	})
}

// appendTransferEvent adds the creation of a transfer, or its change of state, to the log.
func (w *work) appendTransferEvent(t *store.Transfer, from payments.TransferState) error {
	event := &store.Event{
		Type: payments.EventTypeTransferStateChanged, SubjectID: t.ID, From: string(from), To: string(t.State),
		Data: payments.EventData{
			AccountID: t.AccountID, ExternalID: t.ExternalID, Reference: t.Reference, BatchID: t.BatchID, Route: t.Route,
			DestinationSavedContactID: t.DestinationSavedContactID, ExpectedSettlementAt: expectedSettlement(t),
			Source: &t.Source, Destination: &t.Destination, Refund: t.Refund, // never changed in place
		},
	}
	if from == "" {
		event.Type = payments.EventTypeTransferCreated
	}
	if t.FailureReason != nil {
		event.Data.FailureReason = *t.FailureReason
	}
	if t.ReturnCode != nil {
		event.Data.ReturnCode = *t.ReturnCode
	}
	return w.appendEvent(event)
}

// appendContactEvent adds the creation or deletion of a saved contact to the log.
func (w *work) appendContactEvent(kind payments.EventType, contact *store.Contact) error {
	return w.appendEvent(&store.Event{
		Type: kind, SubjectID: contact.ID,
		Data: payments.EventData{AccountID: contact.AccountID, ExternalID: contact.ExternalID, Label: contact.Label},
	})
}
