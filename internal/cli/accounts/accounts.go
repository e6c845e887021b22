// Package accounts is `payctl accounts`.
package accounts

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command.
func New(d *cmdutil.Deps) *cobra.Command {
	return cmdutil.Group("accounts", "Create, change and read accounts", newCreate(d), newImport(d), newGet(d), newList(d), newUpdate(d))
}

// Table has the members of an account.
var Table = resource.Table[payments.Account]{
	{Column: ui.Column{Header: "Account", Name: "id"}, About: "identifier"},
	{
		Column: ui.Column{Header: "Name", Rank: 3}, About: "name of the person or company",
		Cell: func(a payments.Account) ui.Cell { return ui.Text(a.Name()) },
	},
	{Column: ui.Column{Header: "Type"}, About: "individual or business"},
	{Column: ui.Column{Header: "KYC", Name: "kycStatus", Keep: true}, About: "status of the identity check"},
	{Column: ui.Column{Header: "E-mail", Name: "email", Rank: 2}, About: "e-mail address"},
	{Column: ui.Column{Header: "Country", Keep: true}, About: "country code"},
	{Column: ui.Column{Header: "Registration number", Name: "registrationNumber"}, About: "of a business", In: resource.IfAsked},
	{Column: ui.Column{Header: "Born", Name: "birthDate"}, About: "date of birth", In: resource.IfAsked},
	{Column: ui.Column{Header: "Phone", Name: "phoneNumber"}, About: "phone number", In: resource.IfAsked},
	{Column: ui.Column{Header: "Tax id", Name: "taxId"}, About: "tax identifier", In: resource.IfAsked},
	{Column: ui.Column{Header: "External id", Name: "externalId", Ends: true}, About: "your own id", In: resource.InCSV},
	{Column: ui.Column{Header: "Metadata"}, About: "your own keys and values", In: resource.IfAsked},
	{Column: ui.Column{Header: "Created", Name: "createdAt", Whole: true, Rank: 1}, About: "when it was created"},
	{Column: ui.Column{Header: "Changed", Name: "updatedAt", Whole: true}, About: "when it last changed", In: resource.InCSV},
}

// shown is the account with its personal data masked, unless pii is set.
func shown(a payments.Account, pii bool) payments.Account {
	if pii {
		return a
	}
	return a.Masked()
}
