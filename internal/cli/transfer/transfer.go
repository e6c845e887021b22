// Package transfer is `payctl transfer`.
package transfer

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/display"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command.
func New(d *invocation.Deps) *cobra.Command {
	return invocation.Group("transfer", "Send money to saved contacts",
		newAuto(d), newBatch(d), newGet(d), newList(d), newReport(d), newWatch(d), newCancel(d), newResolve(d))
}

// contactLabel is the label of a field to which the live view adds.
const contactLabel = "Contact"

// details returns one transfer for a person.
func details(t payments.Transfer) ui.Details {
	rate := "" // which a service need not show
	if !t.ExchangeRate.Zero() {
		rate = t.ExchangeRate.String()
	}
	view := ui.Details{
		{Label: "Transfer", Cells: []ui.Cell{ui.Toned(ui.Bold, t.ID)}},
		{Label: "State", Cells: []ui.Cell{display.TransferState(t.State)}},
	}
	if t.State.Turn().NeedsPerson() {
		view = append(view, ui.Field{Label: "Turn", Cells: []ui.Cell{display.Turn(t.State.Turn())}})
	}
	view = slices.Concat(view,
		display.Field("Route", t.Route), display.Field("Flow", string(t.FlowType)), display.Field("Provider", t.Provider),
		display.Field("Sends", display.Money(t.Source.Amount, t.Source.Currency)),
		display.Field("Delivers", display.Money(t.Destination.Amount, t.Destination.Currency)),
		display.Field("Fees", fees(t.Fees)...),
		display.Field("Rate", rate),
		display.Field("Account", t.AccountID),
		display.Field(contactLabel, t.DestinationSavedContactID),
		display.Field("Reference", t.Reference),
		display.Field("External id", t.ExternalID),
		display.Field("Batch", t.BatchID),
		display.Metadata(t.Metadata),
	)
	if t.State == payments.TransferStateAwaitingFunds && t.DepositInstructions != nil {
		view = append(view, display.Field("Deposit to", depositLines(*t.DepositInstructions)...)...)
	}
	view = append(view, display.TransferEnd(t)...)
	for _, tx := range t.OnchainTransactions {
		view = append(view, display.Field("On chain", tx.Side+" "+tx.PaymentRail+" "+tx.Hash)...)
	}
	return slices.Concat(view,
		display.Field("Expected", display.OptionalTime(t.ExpectedSettlementAt)),
		display.Field("Created", display.Time(t.CreatedAt)), display.Field("Changed", display.Time(t.UpdatedAt)))
}

// fees describes each fee in a line.
func fees(all []payments.Fee) []string {
	var lines []string
	for _, fee := range all {
		line := fee.Type + " (" + fee.Side + ")"
		if fee.Amount != nil {
			line = fee.Amount.String() + " " + fee.Currency + " " + line
		}
		if fee.Rate != nil {
			line += ", " + display.Percent(*fee.Rate)
		}
		lines = append(lines, line)
	}
	return lines
}

// depositLines describes where the funds have to be sent, one coordinate a line.
func depositLines(d payments.DepositInstructions) []string {
	lines := []string{display.Money(d.Amount, d.Currency) + " by " + d.PaymentRail}
	for _, part := range []struct{ label, value string }{
		{"to ", d.BeneficiaryName}, {"at ", d.BankName}, {"IBAN ", d.IBAN}, {"BIC ", d.BIC},
		{"routing number ", d.RoutingNumber}, {"sort code ", d.SortCode}, {"account ", d.AccountNumber},
		{"CLABE ", d.CLABE}, {"PIX key ", d.PIXKey}, {"address ", d.Address}, {"memo ", d.Memo},
		{"with the reference ", d.PaymentReference},
	} {
		if part.value != "" {
			lines = append(lines, part.label+part.value)
		}
	}
	return lines
}
