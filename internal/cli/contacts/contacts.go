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
	{Column: ui.Column{Header: "Contact", Name: "id"}},
	{
		Column: ui.Column{Header: "Label", Rank: 4, Least: 20, Ends: true}, Update: resource.Changeable,
		Flag: "label", Usage: "your `NAME` for the contact", Filter: "only contacts with this `LABEL`, in exactly these letters",
	},
	{
		Column: ui.Column{Header: "Holder", Name: "holderName", Rank: 1}, Update: resource.Changeable,
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
	coordinate("IBAN", "iban", "iban", "`IBAN` (sepa, sepa_instant, swift)"),
	coordinate("BIC", "bic", "bic", "`BIC` of the bank (swift; sepa if you know it)"),
	coordinate("Routing number", "routingNumber", "routing-number", "ABA routing `NUMBER` (ach, ach_same_day, wire, rtp)"),
	coordinate("Sort code", "sortCode", "sort-code", "sort `CODE` (faster_payments)"),
	coordinate("Account number", "accountNumber", "account-number",
		"`NUMBER` of the account (ach, ach_same_day, wire, rtp, faster_payments, swift)"),
	coordinate("CLABE", "clabe", "clabe", "`CLABE` (spei)"),
	coordinate("PIX key", "pixKey", "pix-key", "PIX `KEY` (pix)"),
	coordinate("PIX key type", "pixKeyType", "pix-key-type", "`KIND` of the PIX key: cpf, cnpj, email, phone or evp"),
	coordinate("Address", "address", "address", "on-chain `ADDRESS` (base, ethereum, solana, and other chains)"),
	coordinate("Memo", "memo", "memo", "`MEMO` that goes with the address (stellar)"),
	{
		Column: ui.Column{Header: "External id", Name: "externalId", Ends: true},
		In:     resource.InCSV, Update: resource.Removable,
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

// coordinate is where a rail delivers.
func coordinate(header, name, flag, usage string) resource.Member[payments.SavedContact] {
	return resource.Member[payments.SavedContact]{
		Column: ui.Column{Header: header, Name: name}, In: resource.IfAsked,
		Flag: flag, Usage: usage, Section: "Coordinates, as the rail asks for them",
	}
}
