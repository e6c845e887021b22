// Package accounts is `payctl accounts`.
package accounts

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

// New returns the command.
func New(d *deps.Deps) *cobra.Command {
	return deps.Group("accounts", "Create and read accounts", newCreate(d), newGet(d), newList(d))
}

// shown is an account as it may be shown.
func shown(a payments.Account, pii bool) payments.Account {
	if pii {
		return a
	}
	return a.Masked()
}

// details shows one account.
func details(a payments.Account) term.Details {
	view := term.Details{
		{Label: "Account", Cells: []term.Cell{term.Toned(term.Bold, a.ID)}},
		{Label: "Name", Cells: []term.Cell{term.Text(a.Name())}},
		{Label: "Type", Cells: []term.Cell{term.Text(string(a.Type))}},
		{Label: "KYC status", Cells: []term.Cell{deps.KYCStatus(a.KYCStatus)}},
		{Label: "E-mail", Cells: []term.Cell{term.Text(a.Email)}},
		{Label: "Country", Cells: []term.Cell{term.Text(a.Country)}},
	}
	for _, optional := range []struct{ label, value string }{
		{"Registration number", a.RegistrationNumber},
		{"Born", a.BirthDate},
		{"Phone", a.PhoneNumber},
		{"Tax id", a.TaxID},
		{"External id", a.ExternalID},
	} {
		if optional.value != "" {
			view = append(view, term.Field{Label: optional.label, Cells: []term.Cell{term.Text(optional.value)}})
		}
	}
	return append(view, term.Field{Label: "Created", Cells: []term.Cell{term.Text(deps.Time(a.CreatedAt))}})
}
