// Package accounts is `payctl accounts`.
package accounts

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command.
func New(d *invocation.Deps) *cobra.Command {
	return invocation.Group("accounts", "Create, change and read accounts", newCreate(d), newImport(d), newGet(d), newList(d), newUpdate(d))
}

// Table has the members of an account.
var Table = resource.Table[payments.Account]{
	{Column: ui.Column{Header: "Account", Name: "id"}},
	{
		Column: ui.Column{Header: "Name", Rank: 3},
		Cell:   func(a payments.Account) ui.Cell { return ui.Text(a.Name()) },
	},
	{Column: ui.Column{Header: "Type"}},
	{Column: ui.Column{Header: "KYC", Name: "kycStatus", Keep: true}},
	{Column: ui.Column{Header: "E-mail", Name: "email", Rank: 2}},
	{Column: ui.Column{Header: "Country", Keep: true}},
	{Column: ui.Column{Header: "Registration number", Name: "registrationNumber"}, In: resource.IfAsked},
	{Column: ui.Column{Header: "Born", Name: "birthDate"}, In: resource.IfAsked},
	{Column: ui.Column{Header: "Phone", Name: "phoneNumber"}, In: resource.IfAsked},
	{Column: ui.Column{Header: "Tax id", Name: "taxId"}, In: resource.IfAsked},
	{Column: ui.Column{Header: "External id", Name: "externalId", Ends: true}, In: resource.InCSV},
	{Column: ui.Column{Header: "Metadata"}, In: resource.IfAsked},
	{Column: ui.Column{Header: "Created", Name: "createdAt", Whole: true, Rank: 1}},
	{Column: ui.Column{Header: "Changed", Name: "updatedAt", Whole: true}, In: resource.InCSV},
}

// shown is the account with its personal data masked, unless pii is set.
func shown(a payments.Account, pii bool) payments.Account {
	if pii {
		return a
	}
	return a.Masked()
}
