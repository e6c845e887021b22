package watchui

import (
	"context"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// Transfers are transfers with their states.
var Transfers = &Resource{
	Noun: "Transfer", Nouns: "transfers", Title: "Transfers",
	IDNames:   []string{"transferId", "transfer_id", "subjectId", "transfer", "id"},
	EventType: payments.EventTypeTransferStateChanged,
	Events:    []payments.EventType{payments.EventTypeTransferCreated, payments.EventTypeTransferStateChanged},
	Goal:      string(payments.TransferStatePaymentProcessed), OneStatus: "STATE", Statuses: "STATES",
	Operation: &contract.ListTransfers, Member: "state",
	CanReach: func(state, other string) bool {
		return payments.TransferState(state).CanReach(payments.TransferState(other))
	},
	HasPassed: func(state, other string) bool {
		return payments.TransferState(state).HasPassed(payments.TransferState(other))
	},
	Status: func(state string) ui.Cell { return cmdutil.TransferState(payments.TransferState(state)) },
	Turn:   func(state string) payments.Turn { return payments.TransferState(state).Turn() },
	Turns:  cmdutil.TurnsOfTransfers,
	Find: func(ctx context.Context, _ *cmdutil.Deps, service payments.Reads, name string) (string, error) {
		return resource.TransferID(ctx, service, name)
	},
	Steps: transferSteps,
	Describe: func(record any, _ bool) string {
		t, _ := record.(payments.Transfer)
		return strings.TrimSpace(cmdutil.Money(t.Source.Amount, t.Source.Currency) + " " + t.Reference)
	},
	StateOf: stateOfEvent, Read: readTransfer, Complete: readTransfer,
}

func readTransfer(ctx context.Context, service payments.Service, known follow.State) (follow.State, error) {
	read, err := service.GetTransfer(ctx, known.ID)
	state := StateOfTransfer(read.Value)
	state.ID = known.ID
	return state, err
}

// ListTransfers lists the transfers that a filter selects.
func ListTransfers(service payments.Reads, filter payments.TransferFilter) List {
	return func(ctx context.Context, cursor string) (states []follow.State, next string, err error) {
		filter.PageQuery = payments.PageQuery{Limit: payments.LargestPage, Cursor: cursor}
		page, err := service.ListTransfers(ctx, filter)
		for _, t := range page.Data {
			if filter.Matches(t) { // a service may not have a filter, or ignore it
				states = append(states, StateOfTransfer(t))
			}
		}
		return states, cmdutil.Text(page.NextCursor), err
	}
}

// transferSteps are the commands for a transfer that waits for a person.
func transferSteps(state, id string, isReference bool) (steps []shell.Hint) {
	what := "a reviewer at the service decides it"
	next := shell.Payctl("sandbox transfer --", id, "funds_received").With("in place of the person")
	if payments.TransferState(state) == payments.TransferStateAwaitingFunds {
		what = "where to send the deposit, and how much"
		next = shell.Payctl("sandbox deposit --", id, "AMOUNT").With("makes the deposit")
	}
	steps = append(steps, shell.Payctl("transfer get --", id).With(what))
	if isReference {
		steps = append(steps, next)
	}
	return steps
}

// StateOfTransfer is the state of a transfer as a watch knows it. Its deadline is when a transfer on which the service
// works should have settled. The record keeps no more than the list shows.
func StateOfTransfer(t payments.Transfer) follow.State {
	state := follow.State{ID: t.ID, Status: string(t.State), Since: t.UpdatedAt, Record: payments.Transfer{
		ID: t.ID, Reference: t.Reference, ExternalID: t.ExternalID, BatchID: t.BatchID, AccountID: t.AccountID,
		DestinationSavedContactID: t.DestinationSavedContactID, Route: t.Route, Source: t.Source, Destination: t.Destination,
	}}
	turn := t.State.Turn()
	if t.ExpectedSettlementAt != nil && (turn == payments.TurnReviewer || turn == payments.TurnProvider) {
		state.Until = *t.ExpectedSettlementAt
	}
	for _, code := range []string{cmdutil.Text(t.FailureReason), cmdutil.Text(t.ReturnCode)} {
		if code != "" {
			state.Reasons = append(state.Reasons, payments.TransferReason(code))
		}
	}
	return state
}

// stateOfEvent is the state of a transfer that an event tells. It has no record: the live view reads that of a new one.
func stateOfEvent(e payments.Event) follow.State {
	state := StateOfTransfer(payments.Transfer{
		ID: e.SubjectID, State: payments.TransferState(cmdutil.Text(e.To)), UpdatedAt: e.OccurredAt,
		ExpectedSettlementAt: e.Data.ExpectedSettlementAt,
		FailureReason:        &e.Data.FailureReason, ReturnCode: &e.Data.ReturnCode,
	})
	state.Record = nil
	return state
}
