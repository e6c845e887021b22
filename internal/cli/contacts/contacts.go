// Package contacts is `payctl contacts`.
package contacts

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command.
func New(d *cmdutil.Deps) *cobra.Command {
	return cmdutil.Group("contacts", "Save the beneficiaries of transfers",
		newCreate(d), newImport(d), newGet(d), newList(d), newUpdate(d), newDelete(d))
}

// details is the view of one contact with the coordinates that it has.
func details(c payments.SavedContact) ui.Details {
	return slices.Concat(
		ui.Details{
			{Label: "Contact", Cells: []ui.Cell{ui.Toned(ui.Bold, c.ID)}},
			{Label: "Label", Cells: []ui.Cell{ui.Text(c.Label)}},
		},
		cmdutil.Field("External id", c.ExternalID),
		cmdutil.Field("Holder", c.HolderName+" ("+string(c.HolderType)+")"),
		cmdutil.Field("Reached by", c.PaymentRail+":"+c.Currency),
		cmdutil.Field("IBAN", c.IBAN), cmdutil.Field("BIC", c.BIC),
		cmdutil.Field("Routing number", c.RoutingNumber), cmdutil.Field("Sort code", c.SortCode),
		cmdutil.Field("Account number", c.AccountNumber), cmdutil.Field("CLABE", c.CLABE),
		cmdutil.Field("PIX key", c.PIXKey), cmdutil.Field("PIX key type", c.PIXKeyType),
		cmdutil.Field("Address", c.Address), cmdutil.Field("Memo", c.Memo),
		cmdutil.Metadata(c.Metadata),
		cmdutil.Field("Account", c.AccountID), cmdutil.Field("Created", cmdutil.Time(c.CreatedAt)),
	)
}
