package kyc

import (
	"strconv"
	"time"

	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// record is what the live view knows of the account of a row.
type record = watchui.AccountRecord

// liveColumns are those of the live view: what decides which case is next comes before what it is about.
func liveColumns() []live.Column {
	name := personalColumn(ui.Column{Header: "Name", Rank: 8, Least: 9},
		func(r *record) string { return r.Name }, payments.Account.Name)
	name.Most = 24
	email := personalColumn(ui.Column{Header: "E-mail", Name: "email", Rank: 2, Least: 24},
		func(r *record) string { return r.Email }, func(a payments.Account) string { return a.Email })
	email.Most = 40
	kind := textColumn(ui.Column{Header: "Type"}, func(r *record) string { return string(r.Type) })
	kind.FilterOnly = true
	return []live.Column{
		live.IDColumn("Account", "id"),
		live.StatusColumn("Status", "status"),
		live.AgeColumn(),
		name,
		textColumn(ui.Column{Header: "External id", Name: "externalId", Rank: 7, Least: 11, Ends: true},
			func(r *record) string { return r.ExternalID }),
		live.DeadlineColumn(),
		live.WhyColumn(),
		textColumn(ui.Column{Header: "Country", Whole: true, Rank: 4}, func(r *record) string { return r.Country }),
		email,
		createdColumn(),
		kind,
		attemptColumn(),
	}
}

// recordOf returns the record of a row, which is empty if nothing is known.
func recordOf(row *live.Row) *record {
	if r, ok := row.Data.(*record); ok && r != nil {
		return r
	}
	return &record{}
}

func textColumn(column ui.Column, of func(*record) string) live.Column {
	return live.TextColumn(column, func(row *live.Row) string { return of(recordOf(row)) })
}

// personalColumn is a column of personal data. Masked returns it from an account that is masked.
func personalColumn(column ui.Column, of func(*record) string, masked func(payments.Account) string) live.Column {
	c := textColumn(column, of)
	c.Cell = func(row *live.Row, at live.Moment) ui.Cell {
		r := recordOf(row)
		if at.Personal {
			return ui.Text(of(r))
		}
		return ui.Text(masked(maskedAccount(r)))
	}
	return c
}

// maskedAccount has the name and e-mail address as they are shown where personal data is not. The name of a business is
// public.
func maskedAccount(r *record) payments.Account {
	account := payments.Account{FirstName: r.Name, Email: r.Email}
	if r.Type == payments.AccountTypeBusiness {
		account = payments.Account{LegalName: r.Name, Email: r.Email}
	}
	return account.Masked()
}

func createdColumn() live.Column {
	return live.Column{
		Column: ui.Column{Header: "Created", Whole: true},
		Cell: func(row *live.Row, _ live.Moment) ui.Cell {
			if r := recordOf(row); !r.Created.IsZero() {
				return ui.Toned(ui.Dim, r.Created.UTC().Format(time.DateOnly))
			}
			return ui.Cell{}
		},
		Compare: func(x, y *live.Row) int { return recordOf(x).Created.Compare(recordOf(y).Created) },
	}
}

func attemptColumn() live.Column {
	return live.Column{
		Column: ui.Column{Header: "Attempt"}, FilterOnly: true,
		Cell: func(row *live.Row, _ live.Moment) ui.Cell { return ui.Text(strconv.Itoa(recordOf(row).Check.Attempt)) },
		Value: func(row *live.Row, _ time.Time) (float64, bool) {
			r := recordOf(row)
			return float64(r.Check.Attempt), r.Check.Status != ""
		},
	}
}
