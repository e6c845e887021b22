package watchui

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// An AccountRecord is what the live view knows of an account besides the status of its identity check. It keeps no more
// than the list shows, since there may be 100,000 of them. It is not changed once it is made.
type AccountRecord struct {
	Name, Email, Country, ExternalID string // unmasked; no e-mail address: the account has not been read
	Type                             payments.AccountType
	Created                          time.Time

	// Status is the one to which Attempt and Deadline belong; empty: neither is known.
	Status  payments.KYCStatus
	Attempt int
	// Deadline is that of the open requirement which ends first; zero: there is none. IsChecked reports whether it is known.
	Deadline  time.Time
	IsChecked bool
}

// RecordOfAccount is what an account tells.
func RecordOfAccount(a payments.Account) *AccountRecord {
	return &AccountRecord{
		Name: a.Name(), Email: a.Email, Country: a.Country, ExternalID: a.ExternalID, Type: a.Type, Created: a.CreatedAt,
	}
}

// RecordOfKYC is what an identity check tells.
func RecordOfKYC(k payments.KYC) *AccountRecord {
	return &AccountRecord{Status: k.Status, Attempt: k.Attempt, Deadline: k.Deadline(), IsChecked: true}
}

// Size implements follow.Record.
func (r *AccountRecord) Size() int {
	return len(r.Name) + len(r.Email) + len(r.Country) + len(r.ExternalID) + len(r.Type) + len(r.Status)
}

// Over implements follow.Record.
func (r *AccountRecord) Over(earlier follow.Record) follow.Record {
	merged, before := *r, earlier.(*AccountRecord)
	if merged.Email == "" {
		merged.Name, merged.Email, merged.Country, merged.Type = before.Name, before.Email, before.Country, before.Type
		merged.Created = before.Created
		merged.ExternalID = cmp.Or(merged.ExternalID, before.ExternalID)
	}
	if merged.Status == "" || merged.Status == before.Status && !merged.IsChecked {
		merged.Status, merged.Deadline, merged.IsChecked = before.Status, before.Deadline, before.IsChecked
	}
	merged.Attempt = cmp.Or(merged.Attempt, before.Attempt)
	return &merged
}

// lacksAccount reports whether the account is not known, or the deadline of what the applicant has to submit.
func lacksAccount(status string, known follow.Record) bool {
	r, _ := known.(*AccountRecord)
	return r == nil || r.Email == "" || payments.KYCStatus(status).TakesSubmission() && !(r.IsChecked && string(r.Status) == status)
}

// accountDeadline is by when the applicant has to act. The end of an approval is none: nothing has to be done by then.
func accountDeadline(status string, known follow.Record) time.Time {
	if r, _ := known.(*AccountRecord); r != nil && string(r.Status) == status {
		return r.Deadline
	}
	return time.Time{}
}

// ReadAccount reads what is missing in what is known of an account; nil if it cannot be read.
func ReadAccount(ctx context.Context, service payments.Service, id string, known follow.Record) follow.Record {
	read, _ := known.(*AccountRecord)
	if read == nil || read.Email == "" {
		account, err := service.GetAccount(ctx, id, payments.ReadOptions{})
		if err != nil {
			return nil
		}
		read, _ = follow.Newest(RecordOfAccount(account.Value), known).(*AccountRecord)
	}
	if lacksAccount(string(read.Status), read) {
		check, err := service.GetKYCStatus(ctx, id, payments.ReadOptions{})
		if err != nil {
			return nil
		}
		read, _ = RecordOfKYC(check.Value).Over(read).(*AccountRecord)
	}
	return read
}

// masked has the name and e-mail address as they are shown where personal data is not. The name of a business is public.
func (r *AccountRecord) masked() payments.Account {
	account := payments.Account{FirstName: r.Name, Email: r.Email}
	if r.Type == payments.AccountTypeBusiness {
		account = payments.Account{LegalName: r.Name, Email: r.Email}
	}
	return account.Masked()
}

// accountOf is what is known of the account of a row.
func accountOf(row *live.Row) *AccountRecord {
	if record, ok := row.Data.(*AccountRecord); ok && record != nil {
		return record
	}
	return &AccountRecord{}
}

// AccountColumns are the columns of accounts: what decides which case is next comes before what it is about.
func AccountColumns() []live.Column {
	text := func(column ui.Column, of func(*AccountRecord) string) live.Column {
		return live.Column{
			Column:  column,
			Cell:    func(row *live.Row, _ live.Moment) ui.Cell { return ui.Text(of(accountOf(row))) },
			Text:    func(row *live.Row) string { return of(accountOf(row)) },
			Compare: func(x, y *live.Row) int { return strings.Compare(of(accountOf(x)), of(accountOf(y))) },
		}
	}
	name := text(ui.Column{Header: "Name", Rank: 7, Least: 9}, func(r *AccountRecord) string { return r.Name })
	name.Most = 24
	name.Cell = func(row *live.Row, at live.Moment) ui.Cell {
		if r := accountOf(row); at.Personal {
			return ui.Text(r.Name)
		} else {
			return ui.Text(r.masked().Name())
		}
	}
	email := text(ui.Column{Header: "E-mail", Name: "email", Rank: 2, Least: 24}, func(r *AccountRecord) string { return r.Email })
	email.Most = 40
	email.Cell = func(row *live.Row, at live.Moment) ui.Cell {
		if r := accountOf(row); at.Personal {
			return ui.Text(r.Email)
		} else {
			return ui.Text(r.masked().Email)
		}
	}
	why := live.WhyColumn()
	why.Rank, why.Least = 5, 16
	country := text(ui.Column{Header: "Country", Whole: true, Rank: 4}, func(r *AccountRecord) string { return r.Country })
	externalID := text(ui.Column{Header: "External id", Name: "externalId", Rank: 1, Ends: true},
		func(r *AccountRecord) string { return r.ExternalID })
	kind := text(ui.Column{Header: "Type"}, func(r *AccountRecord) string { return string(r.Type) })
	kind.FilterOnly = true
	attempt := live.Column{
		Column: ui.Column{Header: "Attempt"}, FilterOnly: true,
		Cell: func(row *live.Row, _ live.Moment) ui.Cell { return ui.Text(strconv.Itoa(accountOf(row).Attempt)) },
		Value: func(row *live.Row, _ time.Time) (float64, bool) {
			r := accountOf(row)
			return float64(r.Attempt), r.Status != ""
		},
	}
	created := live.Column{
		Column: ui.Column{Header: "Created", Whole: true},
		Cell: func(row *live.Row, _ live.Moment) ui.Cell {
			if r := accountOf(row); !r.Created.IsZero() {
				return ui.Cell{Text: r.Created.UTC().Format(time.DateOnly), Tone: ui.Dim, Time: r.Created} // files have all of it
			}
			return ui.Cell{}
		},
		Compare: func(x, y *live.Row) int { return accountOf(x).Created.Compare(accountOf(y).Created) },
	}
	return []live.Column{
		live.IDColumn("Account", "id"), live.StatusColumn("Status", "status"), live.AgeColumn(), live.DeadlineColumn(), name,
		why, country, email, externalID, created, kind, attempt,
	}
}
