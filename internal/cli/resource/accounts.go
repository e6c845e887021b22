package resource

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// Accounts has the members of an account.
var Accounts = Table[payments.Account]{
	{Column: ui.Column{Header: "Account", Name: "id"}},
	{
		Column: ui.Column{Header: "Name", Rank: 3},
		Cell:   func(a payments.Account) ui.Cell { return ui.Text(a.Name()) },
	},
	{Column: ui.Column{Header: "Type"}, Flag: "type", Usage: "`KIND` of account: individual or business"},
	{
		Column: ui.Column{Header: "First name", Name: "firstName"}, In: PartOf, Update: Removable,
		Flag: "first-name", Usage: "given `NAME` of an individual",
	},
	{
		Column: ui.Column{Header: "Last name", Name: "lastName"}, In: PartOf, Update: Removable,
		Flag: "last-name", Usage: "family `NAME` of an individual",
	},
	{
		Column: ui.Column{Header: "Legal name", Name: "legalName"}, In: PartOf, Update: Removable,
		Flag: "legal-name", Usage: "registered `NAME` of a business",
	},
	{
		Column: ui.Column{Header: "KYC", Name: "kycStatus", Keep: true},
		Flag:   "status", Filter: "only accounts with one of these `STATUSES`, such as pending,paused",
	},
	{
		Column: ui.Column{Header: "E-mail", Name: "email", Rank: 2}, Update: Changeable,
		Flag: "email", Usage: "e-mail `ADDRESS`", Filter: "only accounts with this e-mail `ADDRESS`",
	},
	{
		Column: ui.Column{Header: "Country", Keep: true}, Update: Changeable,
		Flag: "country", Usage: "ISO 3166-1 alpha-2 `CODE` such as GB", Filter: "only accounts of this `COUNTRY`, such as GB",
	},
	{
		Column: ui.Column{Header: "Registration number", Name: "registrationNumber"}, In: IfAsked, Update: Removable,
	},
	{Column: ui.Column{Header: "Born", Name: "birthDate"}, In: IfAsked, Update: Removable},
	{Column: ui.Column{Header: "Phone", Name: "phoneNumber"}, In: IfAsked, Update: Removable},
	{Column: ui.Column{Header: "Tax id", Name: "taxId"}, In: IfAsked, Update: Removable},
	{
		Column: ui.Column{Header: "External id", Name: "externalId", Ends: true}, In: InCSV, Update: Removable,
		Flag: "external-id", Usage: "your own `ID` of the account",
		Filter: "only accounts with this `ID` of your own",
	},
	{Column: ui.Column{Header: "Metadata"}, In: IfAsked},
	{Column: ui.Column{Header: "Created", Name: "createdAt", Whole: true, Rank: 1}},
	{Column: ui.Column{Header: "Changed", Name: "updatedAt", Whole: true}, In: InCSV},
}

// AccountFilters are the flags that select accounts, apart from the time of their creation.
type AccountFilters struct {
	filter        payments.AccountFilter
	country, name string
	looked        int // accounts that were looked at
}

// AddTo adds the flags.
func (a *AccountFilters) AddTo(cmd *cobra.Command) {
	FilterValues(Accounts, cmd, &a.filter.KYCStatuses, "kycStatus")
	Accounts.FilterText(cmd, &a.filter.Email, "email")
	Accounts.FilterText(cmd, &a.filter.ExternalID, "externalId")
	Accounts.FilterText(cmd, &a.country, "country")
	cmd.Flags().StringVar(&a.name, "name", "",
		"only accounts with the words of this `TEXT` in their name, without regard to case and accents")
}

// TellLooked says how many accounts were looked at for a name.
func (a *AccountFilters) TellLooked(d *cmdutil.Deps) {
	if a.name != "" {
		d.Notef("Looked at %s for the name %q.", cmdutil.Count(a.looked, "account(s)"), a.name)
	}
}

// hasName reports whether an account has all words of --name in its name.
func (a *AccountFilters) hasName(row payments.Account) bool {
	a.looked++
	name := ui.Fold(row.Name())
	return !slices.ContainsFunc(strings.Fields(ui.Fold(a.name)),
		func(word string) bool { return !strings.Contains(name, word) })
}

// HasStatuses reports whether statuses were given.
func (a *AccountFilters) HasStatuses() bool { return len(a.filter.KYCStatuses) > 0 }

// NamesOne reports whether the filters name an account or a person.
func (a *AccountFilters) NamesOne() bool {
	return a.filter.Email != "" || a.filter.ExternalID != "" || a.name != ""
}

// Query returns the accounts that the flags select.
func (a *AccountFilters) Query(
	ctx context.Context, d *cmdutil.Deps, service payments.Reads,
) (*ListQuery[payments.Account], error) {
	if err := cmdutil.CheckStatuses(d, "status", a.filter.KYCStatuses,
		contract.ListAccounts.Enum("kycStatus")); err != nil {
		return nil, err
	}
	if a.country = strings.ToUpper(a.country); a.country != "" && len(a.country) != len("GB") {
		return nil, cmdutil.Usage("--country does not take %q. It takes an ISO 3166-1 alpha-2 code such as GB", a.country)
	}
	return a.query(ctx, service), nil
}

// query is Query without a check of the flags.
func (a *AccountFilters) query(ctx context.Context, service payments.Reads) *ListQuery[payments.Account] {
	return &ListQuery[payments.Account]{
		Created: func(a payments.Account) time.Time { return a.CreatedAt },
		Matches: func(row payments.Account) bool {
			return a.filter.Matches(row) && (a.country == "" || row.Country == a.country) && (a.name == "" || a.hasName(row))
		},
		Fetch: func(q payments.PageQuery) (Page[payments.Account], error) {
			a.filter.PageQuery = q
			page, err := service.ListAccounts(ctx, a.filter)
			return Page[payments.Account]{page.Data, page.NextCursor, page.End}, err
		},
	}
}
