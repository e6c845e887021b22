// Package contacts is `payctl contacts`.
package contacts

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command.
func New(d *cmdutil.Deps) *cobra.Command {
	return cmdutil.Group("contacts", "Save the beneficiaries of transfers",
		newCreate(d), newImport(d), newGet(d), newList(d), newUpdate(d), newDelete(d))
}

// Table has the members of a saved contact.
var Table = resource.Table[payments.SavedContact]{
	{Column: ui.Column{Header: "Contact", Name: "id"}, About: "identifier"},
	{Column: ui.Column{Header: "Label", Rank: 4, Least: 20, Ends: true}, About: "your name for it"},
	{Column: ui.Column{Header: "Holder", Name: "holderName", Rank: 1}, About: "name of the beneficiary"},
	{Column: ui.Column{Header: "Holder type", Name: "holderType"}, About: "individual or business", In: resource.IfAsked},
	{Column: ui.Column{Header: "Rail", Name: "paymentRail", Rank: 3}, About: "rail that reaches it"},
	{Column: ui.Column{Header: "Currency", Rank: 2}, About: "currency that it takes"},
	{Column: ui.Column{Header: "IBAN", Name: "iban"}, About: "IBAN, masked", In: resource.IfAsked},
	{Column: ui.Column{Header: "BIC", Name: "bic"}, About: "BIC", In: resource.IfAsked},
	{Column: ui.Column{Header: "Routing number", Name: "routingNumber"}, About: "ABA routing number", In: resource.IfAsked},
	{Column: ui.Column{Header: "Sort code", Name: "sortCode"}, About: "UK sort code", In: resource.IfAsked},
	{Column: ui.Column{Header: "Account number", Name: "accountNumber"}, About: "bank account number, masked", In: resource.IfAsked},
	{Column: ui.Column{Header: "CLABE", Name: "clabe"}, About: "CLABE, masked", In: resource.IfAsked},
	{Column: ui.Column{Header: "PIX key", Name: "pixKey"}, About: "PIX key, masked", In: resource.IfAsked},
	{Column: ui.Column{Header: "PIX key type", Name: "pixKeyType"}, About: "kind of PIX key", In: resource.IfAsked},
	{Column: ui.Column{Header: "Address"}, About: "on-chain address", In: resource.IfAsked},
	{Column: ui.Column{Header: "Memo"}, About: "memo of the address", In: resource.IfAsked},
	{Column: ui.Column{Header: "External id", Name: "externalId", Ends: true}, About: "your own id", In: resource.InCSV},
	{Column: ui.Column{Header: "Account", Name: "accountId", Whole: true}, About: "account that pays it"},
	{Column: ui.Column{Header: "Metadata"}, About: "your own keys and values", In: resource.IfAsked},
	{Column: ui.Column{Header: "Created", Name: "createdAt", Whole: true}, About: "when it was created"},
}
