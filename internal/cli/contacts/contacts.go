// Package contacts is `payctl contacts`.
package contacts

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command.
func New(d *invocation.Deps) *cobra.Command {
	return invocation.Group("contacts", "Save the beneficiaries of transfers",
		newCreate(d), newImport(d), newGet(d), newList(d), newUpdate(d), newDelete(d))
}

// Table has the members of a saved contact.
var Table = resource.Table[payments.SavedContact]{
	{Column: ui.Column{Header: "Contact", Name: "id"}},
	{
		Column: ui.Column{Header: "Label", Rank: 4, Least: 20, Ends: true}, Change: resource.Changes,
		Flag: "label", Usage: "your `NAME` for the contact", Filter: "only contacts with this `LABEL`, in exactly these letters",
	},
	{
		Column: ui.Column{Header: "Holder", Name: "holderName", Rank: 1}, Change: resource.Changes,
		Flag: "holder-name", Usage: "the beneficiary's `NAME`",
	},
	{
		Column: ui.Column{Header: "Holder type", Name: "holderType"}, In: resource.IfAsked,
		Flag: "holder-type", Usage: "`KIND` of beneficiary: individual or business",
	},
	{
		Column: ui.Column{Header: "Rail", Name: "paymentRail", Rank: 3},
		Flag:   "rail", Usage: "payment `RAIL` that reaches it, such as sepa, ach, pix or base",
		Filter: "only contacts that this `RAIL` reaches",
	},
	{
		Column: ui.Column{Header: "Currency", Rank: 2},
		Flag:   "currency", Usage: "`CURRENCY` that the contact receives, such as EUR or USDC",
	},
	{
		Column: ui.Column{Header: "IBAN", Name: "iban"}, In: resource.IfAsked,
		Flag: "iban", Usage: "`IBAN` (sepa, sepa_instant, swift)",
	},
	{Column: ui.Column{Header: "BIC", Name: "bic"}, In: resource.IfAsked},
	{Column: ui.Column{Header: "Routing number", Name: "routingNumber"}, In: resource.IfAsked},
	{Column: ui.Column{Header: "Sort code", Name: "sortCode"}, In: resource.IfAsked},
	{Column: ui.Column{Header: "Account number", Name: "accountNumber"}, In: resource.IfAsked},
	{Column: ui.Column{Header: "CLABE", Name: "clabe"}, In: resource.IfAsked},
	{Column: ui.Column{Header: "PIX key", Name: "pixKey"}, In: resource.IfAsked},
	{Column: ui.Column{Header: "PIX key type", Name: "pixKeyType"}, In: resource.IfAsked},
	{Column: ui.Column{Header: "Address"}, In: resource.IfAsked, Flag: "address", Usage: "on-chain `ADDRESS`"},
	{Column: ui.Column{Header: "Memo"}, In: resource.IfAsked},
	{
		Column: ui.Column{Header: "External id", Name: "externalId", Ends: true}, In: resource.InCSV, Change: resource.Removable,
		Flag: "external-id", Usage: "your own `ID` of the contact", Filter: "only contacts with this `ID` of your own",
	},
	{
		Column: ui.Column{Header: "Account", Name: "accountId", Whole: true},
		Flag:   "account", Usage: "`ACCOUNT` that the contact belongs to (default: the only one)",
		Filter: "only contacts of this `ACCOUNT`",
	},
	{Column: ui.Column{Header: "Metadata"}, In: resource.IfAsked},
	{Column: ui.Column{Header: "Created", Name: "createdAt", Whole: true}},
}
