package watchui

import (
	"cmp"
	"context"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// Transfers describes transfers to a watch of single ones, without columns and details.
func Transfers(service payments.Reads) Kind {
	return Kind{
		Noun: "Transfer", Nouns: "transfers", Title: "Transfers",
		IDNames:   []string{"transferId", "transfer_id", "subjectId", "transfer", "id"},
		EventType: payments.EventTypeTransferStateChanged,
		Goal:      string(payments.TransferStatePaymentProcessed), OneStatus: "STATE", Statuses: "STATES",
		Operation: "listTransfers", Member: "state",
		CanReach: func(state, other string) bool {
			return payments.TransferState(state).CanReach(payments.TransferState(other))
		},
		HasPassed: func(state, other string) bool {
			return payments.TransferState(state).HasPassed(payments.TransferState(other))
		},
		IsFinal: func(state string) bool { return payments.TransferState(state).Final() },
		Status:  func(state string) ui.Cell { return cmdutil.TransferState(payments.TransferState(state)) },
		Turn:    func(state string) payments.Turn { return payments.TransferState(state).Turn() },
		Turns:   cmdutil.TurnsOfTransfers,
		Words:   transferWords,
		Steps:   transferSteps,
		Merge:   mergeTransfers,
		Explain: explainTransfer,
		Subjects: follow.Subjects{
			Events: []payments.EventType{payments.EventTypeTransferCreated, payments.EventTypeTransferStateChanged},
			Of:     stateOfEvent,
			Read: func(ctx context.Context, known follow.State) (follow.State, error) {
				read, err := service.GetTransfer(ctx, known.ID, payments.ReadOptions{})
				state := StateOfTransfer(read.Value)
				state.ID = known.ID
				return state, err
			},
		},
	}
}

// transferSteps are the commands for a transfer that waits for a person.
func transferSteps(state, id string, isReference bool) []string {
	hint := func(line string) string { return shell.Hint(line, shell.Values{"TRANSFER": id}) }
	isUnfunded := payments.TransferState(state) == payments.TransferStateAwaitingFunds
	switch {
	case isUnfunded && isReference:
		return []string{
			hint("payctl transfer get -- TRANSFER   (where to send the deposit, and how much)"),
			hint("payctl sandbox deposit -- TRANSFER AMOUNT   (makes the deposit)"),
		}
	case isUnfunded:
		return []string{hint("payctl transfer get -- TRANSFER   (where to send the deposit, and how much)")}
	case isReference:
		return []string{hint("payctl sandbox transfer -- TRANSFER funds_received   (in place of the person)")}
	}
	return []string{hint("payctl transfer get -- TRANSFER   (a reviewer at the service decides it)")}
}

// StateOfTransfer is the state of a transfer as a watch knows it.
func StateOfTransfer(t payments.Transfer) follow.State {
	record := TransferRecord{
		Reference: t.Reference, ExternalID: t.ExternalID, BatchID: t.BatchID, AccountID: t.AccountID,
		ContactID: t.DestinationSavedContactID, Route: t.Route, Source: t.Source, Destination: t.Destination,
	}
	if t.ExpectedSettlementAt != nil {
		record.Expected = *t.ExpectedSettlementAt
	}
	state := follow.State{ID: t.ID, Status: string(t.State), Since: t.UpdatedAt, Record: record}
	for _, code := range []string{cmdutil.Text(t.FailureReason), cmdutil.Text(t.ReturnCode)} {
		if code != "" {
			state.Reasons = append(state.Reasons, payments.TransferReason(code))
		}
	}
	return state
}

// stateOfEvent is the state of a transfer that an event tells.
func stateOfEvent(e payments.Event) follow.State {
	t := payments.Transfer{
		ID: e.SubjectID, State: payments.TransferState(cmdutil.Text(e.To)), UpdatedAt: e.OccurredAt,
		Reference: e.Data.Reference, ExternalID: e.Data.ExternalID, BatchID: e.Data.BatchID, AccountID: e.Data.AccountID,
		DestinationSavedContactID: e.Data.DestinationSavedContactID, Route: e.Data.Route,
		ExpectedSettlementAt: e.Data.ExpectedSettlementAt,
		FailureReason:        &e.Data.FailureReason, ReturnCode: &e.Data.ReturnCode,
	}
	if e.Data.Source != nil {
		t.Source = *e.Data.Source
	}
	if e.Data.Destination != nil {
		t.Destination = *e.Data.Destination
	}
	return StateOfTransfer(t)
}

// A TransferRecord is what a watch knows of a transfer besides its state. An event of a service that sends
// little may lack any of it.
type TransferRecord struct {
	Reference, ExternalID, BatchID string
	AccountID, ContactID, Route    string
	Source, Destination            payments.TransferSide
	// Expected is when it is expected to settle; zero: unknown, or never.
	Expected time.Time
}

// mergeTransfers implements Kind.Merge. The expected settlement is that of the state.
func mergeTransfers(record, earlier any) any {
	now, _ := record.(TransferRecord)
	before, _ := earlier.(TransferRecord)
	return TransferRecord{
		Reference: cmp.Or(now.Reference, before.Reference), ExternalID: cmp.Or(now.ExternalID, before.ExternalID),
		BatchID: cmp.Or(now.BatchID, before.BatchID), AccountID: cmp.Or(now.AccountID, before.AccountID),
		ContactID: cmp.Or(now.ContactID, before.ContactID), Route: cmp.Or(now.Route, before.Route),
		Source: cmp.Or(now.Source, before.Source), Destination: cmp.Or(now.Destination, before.Destination),
		Expected: now.Expected,
	}
}

// transferWords name a transfer in a line for a person, besides its identifier: by amount and reference.
func transferWords(record any) []ui.Cell {
	t, _ := record.(TransferRecord)
	return []ui.Cell{ui.Text(cmdutil.Money(t.Source.Amount, t.Source.Currency)), ui.Optional(t.Reference)}
}

// explainTransfer implements Kind.Explain: one that the service works on should have settled by a time. Why a transfer
// has failed is told by the change.
func explainTransfer(state string, record any) (deadline time.Time, why string) {
	t, _ := record.(TransferRecord)
	if turn := payments.TransferState(state).Turn(); turn == payments.TurnReviewer || turn == payments.TurnProvider {
		return t.Expected, ""
	}
	return time.Time{}, ""
}
