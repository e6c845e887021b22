// Package accounts is `payctl accounts`.
package accounts

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command.
func New(d *cmdutil.Deps) *cobra.Command {
	return cmdutil.Group("accounts", "Create, change and read accounts", newCreate(d), newImport(d), newGet(d), newList(d), newUpdate(d))
}

// shown is the account with its personal data masked, unless pii is set.
func shown(a payments.Account, pii bool) payments.Account {
	if pii {
		return a
	}
	return a.Masked()
}

// details is the view of one account.
func details(a payments.Account) ui.Details {
	return slices.Concat(
		ui.Details{
			{Label: "Account", Cells: []ui.Cell{ui.Toned(ui.Bold, a.ID)}},
			{Label: "Name", Cells: []ui.Cell{ui.Text(a.Name())}},
			{Label: "Type", Cells: []ui.Cell{ui.Text(string(a.Type))}},
			{Label: "KYC status", Cells: []ui.Cell{cmdutil.KYCStatus(a.KYCStatus)}},
			{Label: "E-mail", Cells: []ui.Cell{ui.Text(a.Email)}},
			{Label: "Country", Cells: []ui.Cell{ui.Text(a.Country)}},
		},
		cmdutil.Field("Registration number", a.RegistrationNumber),
		cmdutil.Field("Born", a.BirthDate),
		cmdutil.Field("Phone", a.PhoneNumber),
		cmdutil.Field("Tax id", a.TaxID),
		cmdutil.Field("External id", a.ExternalID),
		cmdutil.Metadata(a.Metadata),
		cmdutil.Field("Created", cmdutil.Time(a.CreatedAt)),
	)
}
