// Package contacts is `payctl contacts`.
package contacts

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

// New returns the command.
func New(d *deps.Deps) *cobra.Command {
	return deps.Group("contacts", "Keep the beneficiaries that transfers go to", newCreate(d), newGet(d), newList(d), newDelete(d))
}

// details shows one contact with the coordinates that it has.
func details(c payments.SavedContact) term.Details {
	view := term.Details{
		{Label: "Contact", Cells: []term.Cell{term.Toned(term.Bold, c.ID)}},
		{Label: "Label", Cells: []term.Cell{term.Text(c.Label)}},
		{Label: "Holder", Cells: []term.Cell{term.Text(c.HolderName + " (" + string(c.HolderType) + ")")}},
		{Label: "Reached by", Cells: []term.Cell{term.Text(c.PaymentRail + ":" + c.Currency)}},
	}
	for _, coordinate := range []struct{ label, value string }{
		{"IBAN", c.IBAN},
		{"BIC", c.BIC},
		{"Routing number", c.RoutingNumber},
		{"Sort code", c.SortCode},
		{"Account number", c.AccountNumber},
		{"CLABE", c.CLABE},
		{"PIX key", c.PIXKey},
		{"PIX key type", c.PIXKeyType},
		{"Address", c.Address},
		{"Memo", c.Memo},
		{"Account", c.AccountID},
	} {
		if coordinate.value != "" {
			view = append(view, term.Field{Label: coordinate.label, Cells: []term.Cell{term.Text(coordinate.value)}})
		}
	}
	return append(view, term.Field{Label: "Created", Cells: []term.Cell{term.Text(deps.Time(c.CreatedAt))}})
}
