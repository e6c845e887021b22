package kyc

import (
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// liveColumns are those of the live view: what decides which case is next comes before what it is about.
func liveColumns() []live.Column {
	name := personalColumn(ui.Column{Header: "Name", Rank: 8, Least: 9}, payments.Account.Name)
	name.Most = 24
	email := personalColumn(ui.Column{Header: "E-mail", Name: "email", Rank: 2, Least: 24},
		func(a payments.Account) string { return a.Email })
	email.Most = 40
	kind := textColumn(ui.Column{Header: "Type"}, func(a payments.Account) string { return string(a.Type) })
	kind.FilterOnly = true
	return []live.Column{
		live.IDColumn("Account", "id"),
		live.StatusColumn("Status", "status"),
		live.AgeColumn(),
		name,
		textColumn(ui.Column{Header: "External id", Name: "externalId", Rank: 7, Least: 11, Ends: true},
			func(a payments.Account) string { return a.ExternalID }),
		live.DeadlineColumn(),
		live.WhyColumn(),
		textColumn(ui.Column{Header: "Country", Whole: true, Rank: 4}, func(a payments.Account) string { return a.Country }),
		email,
		kind,
	}
}

// accountOf is what the live view knows of the account of a row.
func accountOf(row *live.Row) payments.Account {
	r, _ := row.Data.(*watchui.AccountRecord)
	if r == nil {
		return payments.Account{}
	}
	account := payments.Account{
		Type: r.Type, FirstName: r.Name, Email: r.Email, Country: r.Country, ExternalID: r.ExternalID,
	}
	if r.Type == payments.AccountTypeBusiness { // whose name is public
		account.FirstName, account.LegalName = "", r.Name
	}
	return account
}

func textColumn(column ui.Column, of func(payments.Account) string) live.Column {
	return live.TextColumn(column, func(row *live.Row) string { return of(accountOf(row)) })
}

// personalColumn is a column of personal data.
func personalColumn(column ui.Column, of func(payments.Account) string) live.Column {
	c := textColumn(column, of)
	c.Cell = func(row *live.Row, at live.Moment) ui.Cell {
		account := accountOf(row)
		if !at.Personal {
			account = account.Masked()
		}
		return ui.Text(of(account))
	}
	return c
}
