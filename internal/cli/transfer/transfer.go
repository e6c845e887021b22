// Package transfer is `payctl transfer`.
package transfer

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

// New returns the command.
func New(d *deps.Deps) *cobra.Command {
	return deps.Group("transfer", "Send money to saved contacts",
		newAuto(d), newBatch(d), newGet(d), newList(d), newWatch(d), newCancel(d), newSettle(d))
}

// details shows one transfer.
func details(t payments.Transfer) term.Details {
	view := term.Details{
		{Label: "Transfer", Cells: []term.Cell{term.Toned(term.Bold, t.ID)}},
		{Label: "State", Cells: []term.Cell{deps.TransferState(t.State)}},
		{Label: "Route", Cells: []term.Cell{term.Text(t.Route + " (" + string(t.FlowType) + ", " + t.Provider + ")")}},
		{Label: "Sends", Cells: []term.Cell{term.Text(deps.Money(t.Source.Amount, t.Source.Currency))}},
		{Label: "Delivers", Cells: []term.Cell{term.Text(deps.Money(t.Destination.Amount, t.Destination.Currency))}},
	}
	add := func(label string, lines ...string) {
		cells := make([]term.Cell, 0, len(lines))
		for _, line := range lines {
			if line != "" {
				cells = append(cells, term.Text(line))
			}
		}
		if len(cells) > 0 {
			view = append(view, term.Field{Label: label, Cells: cells})
		}
	}
	add("Fees", fees(t.Fees)...)
	add("Rate", t.ExchangeRate.String())
	add("Contact", t.DestinationSavedContactID)
	add("Reference", t.Reference)
	add("External id", t.ExternalID)
	add("Batch", t.BatchID)
	if t.State == payments.TransferStateAwaitingFunds && t.DepositInstructions != nil {
		add("Deposit to", deposit(*t.DepositInstructions)...)
	}
	if t.FailureReason != nil {
		add("Failed because", *t.FailureReason)
	}
	if t.ReturnCode != nil {
		add("Return code", *t.ReturnCode)
	}
	if t.Refund != nil {
		add("Refund", t.Refund.Amount.String()+" "+t.Refund.Currency+", "+t.Refund.Reason)
	}
	for _, tx := range t.OnchainTransactions {
		add("On chain", tx.Side+" "+tx.PaymentRail+" "+tx.Hash)
	}
	add("Created", deps.Time(t.CreatedAt))
	add("Changed", deps.Time(t.UpdatedAt))
	return view
}

// fees are the fees in words, one a line.
func fees(all []payments.Fee) []string {
	var lines []string
	for _, fee := range all {
		line := fee.Type + " (" + fee.Side + ")"
		if fee.Amount != nil {
			line = fee.Amount.String() + " " + fee.Currency + " " + line
		}
		if fee.Rate != nil {
			line += ", " + deps.Percent(*fee.Rate)
		}
		lines = append(lines, line)
	}
	return lines
}

// deposit says where the funds are to be sent, one coordinate a line.
func deposit(d payments.DepositInstructions) []string {
	var lines []string
	for _, part := range []struct{ label, value string }{
		{"", deps.Money(d.Amount, d.Currency) + " by " + d.PaymentRail},
		{"to ", d.BeneficiaryName},
		{"at ", d.BankName},
		{"IBAN ", d.IBAN},
		{"BIC ", d.BIC},
		{"routing number ", d.RoutingNumber},
		{"sort code ", d.SortCode},
		{"account ", d.AccountNumber},
		{"CLABE ", d.CLABE},
		{"PIX key ", d.PIXKey},
		{"address ", d.Address},
		{"memo ", d.Memo},
		{"with the reference ", d.PaymentReference},
	} {
		if part.value != "" {
			lines = append(lines, part.label+part.value)
		}
	}
	return lines
}

var columns = []term.Column{
	{Header: "Transfer", Name: "id"}, {Header: "State", Keep: true}, {Header: "Route"},
	{Header: "Sends", Name: "sourceAmount", Right: true}, {Header: "Delivers", Name: "destinationAmount", Right: true},
	{Header: "Reference"}, {Header: "Created", Name: "createdAt"},
}

func row(t payments.Transfer) []term.Cell {
	return []term.Cell{term.Text(t.ID), deps.TransferState(t.State), term.Text(t.Route),
		amount(t.Source), amount(t.Destination), term.Optional(t.Reference), term.Text(deps.Time(t.CreatedAt))}
}

func amount(side payments.TransferSide) term.Cell {
	return term.Cell{Text: deps.Money(side.Amount, side.Currency), Absent: side.Amount == nil}
}

// failure says why a transfer will not deliver its money, in words.
func failure(t payments.Transfer) string {
	var parts []string
	if t.FailureReason != nil {
		parts = append(parts, *t.FailureReason)
	}
	if t.ReturnCode != nil {
		parts = append(parts, *t.ReturnCode)
	}
	if t.Refund != nil {
		parts = append(parts, "refund of "+t.Refund.Amount.String()+" "+t.Refund.Currency)
	}
	return strings.Join(parts, ", ")
}
