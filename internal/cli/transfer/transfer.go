// Package transfer is `payctl transfer`.
package transfer

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command.
func New(d *cmdutil.Deps) *cobra.Command {
	return cmdutil.Group("transfer", "Send money to saved contacts",
		newAuto(d), newBatch(d), newGet(d), newList(d), newReport(d), newWatch(d), newCancel(d), newResolve(d))
}

// contactLabel is the label of a field to which the live view adds.
const contactLabel = "Contact"

// Details shows everything about a transfer.
func Details(t payments.Transfer) ui.Details {
	view := Table.Details(t)
	if t.State.Turn().NeedsPerson() {
		view = slices.Insert(view, 2, ui.Field{Label: "Turn", Cells: []ui.Cell{cmdutil.Turn(t.State.Turn())}})
	}
	if t.State == payments.TransferStateAwaitingFunds && t.DepositInstructions != nil {
		view = append(view, cmdutil.Field("Deposit to", depositLines(*t.DepositInstructions)...)...)
	}
	for _, end := range []struct{ label, code string }{
		{"Failed because", cmdutil.Text(t.FailureReason)}, {"Returned because", cmdutil.Text(t.ReturnCode)},
	} {
		if end.code != "" {
			view = append(view, cmdutil.Field(end.label, payments.TransferReason(end.code).Text())...)
		}
	}
	if r := t.Refund; r != nil {
		refund := cmdutil.Money(&r.Amount, r.Currency) + ", on its way back"
		if r.CompletedAt != nil {
			refund = cmdutil.Money(&r.Amount, r.Currency) + ", back since " + cmdutil.Time(*r.CompletedAt)
		}
		if r.Reason != cmdutil.Text(t.FailureReason) && r.Reason != cmdutil.Text(t.ReturnCode) {
			refund += ": " + payments.TransferReason(r.Reason).Text()
		}
		view = append(view, cmdutil.Field("Refund", refund)...)
	}
	for _, tx := range t.OnchainTransactions {
		view = append(view, cmdutil.Field("On chain", tx.Side+" "+tx.PaymentRail+" "+tx.Hash)...)
	}
	return append(view, cmdutil.TimeField("Expected", t.ExpectedSettlementAt)...)
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
			line += ", " + cmdutil.Percent(*fee.Rate)
		}
		lines = append(lines, line)
	}
	return lines
}

// depositLines describes where the funds have to be sent, one coordinate a line.
func depositLines(d payments.DepositInstructions) []string {
	lines := []string{cmdutil.Money(d.Amount, d.Currency) + " by " + d.PaymentRail}
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
