package watchui

import (
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// A TransferRecord is what a watch knows of a transfer besides its state. An event of a service that sends
// little may lack any of it.
type TransferRecord struct {
	Reference, ExternalID, BatchID string
	AccountID, ContactID, Route    string
	Source, Destination            payments.TransferSide
	Refund                         *payments.Refund
	// Expected is when it is expected to settle; zero: unknown, or never.
	Expected time.Time
}

var _ follow.Record = TransferRecord{}

// Over implements follow.Record. The amounts of a flexible transfer are known later than the rest; the expected
// settlement and the refund are those of the state.
func (t TransferRecord) Over(earlier follow.Record) follow.Record {
	before, ok := earlier.(TransferRecord)
	if !ok {
		return t
	}
	for _, text := range []struct{ now, before *string }{
		{&t.Reference, &before.Reference}, {&t.ExternalID, &before.ExternalID}, {&t.BatchID, &before.BatchID},
		{&t.AccountID, &before.AccountID}, {&t.ContactID, &before.ContactID}, {&t.Route, &before.Route},
	} {
		if *text.now == "" {
			*text.now = *text.before
		}
	}
	if t.Source.Amount == nil && t.Source.Currency == "" {
		t.Source = before.Source
	}
	if t.Destination.Amount == nil && t.Destination.Currency == "" {
		t.Destination = before.Destination
	}
	return t
}

// recordOfTransfer returns the record of a transfer.
func recordOfTransfer(t payments.Transfer) TransferRecord {
	record := TransferRecord{
		Reference: t.Reference, ExternalID: t.ExternalID, BatchID: t.BatchID, AccountID: t.AccountID,
		ContactID: t.DestinationSavedContactID, Route: t.Route, Source: t.Source, Destination: t.Destination,
		Refund: t.Refund,
	}
	if t.ExpectedSettlementAt != nil {
		record.Expected = *t.ExpectedSettlementAt
	}
	return record
}

// recordOfEvent returns the record that an event has.
func recordOfEvent(data payments.EventData) TransferRecord {
	t := payments.Transfer{
		Reference: data.Reference, ExternalID: data.ExternalID, BatchID: data.BatchID, AccountID: data.AccountID,
		DestinationSavedContactID: data.DestinationSavedContactID, Route: data.Route, Refund: data.Refund,
		ExpectedSettlementAt: data.ExpectedSettlementAt,
	}
	if data.Source != nil {
		t.Source = *data.Source
	}
	if data.Destination != nil {
		t.Destination = *data.Destination
	}
	return recordOfTransfer(t)
}

// transferWords name a transfer in a line for a person, besides its identifier: by amount and reference.
func transferWords(record follow.Record) []ui.Cell {
	t, ok := record.(TransferRecord)
	if !ok {
		return nil
	}
	return []ui.Cell{ui.Text(cmdutil.Money(t.Source.Amount, t.Source.Currency)), ui.Optional(t.Reference)}
}

// transferDeadline is when a transfer that the service works on should have settled; zero: unknown.
func transferDeadline(state string, record follow.Record) time.Time {
	t, _ := record.(TransferRecord)
	if turn := payments.TransferState(state).Turn(); turn == payments.TurnReviewer || turn == payments.TurnProvider {
		return t.Expected
	}
	return time.Time{}
}
