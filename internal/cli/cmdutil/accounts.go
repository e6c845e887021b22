package cmdutil

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/payments"
)

// AccountFilters are the flags that select accounts, apart from the time of their creation.
type AccountFilters struct {
	filter  payments.AccountFilter
	country string
}

// AddTo adds the flags, that of statuses under a name.
func (a *AccountFilters) AddTo(d *Deps, cmd *cobra.Command, status string) {
	f := cmd.Flags()
	AddValues(cmd, &a.filter.KYCStatuses, status,
		"only accounts with one of these `STATUSES`, such as pending,paused")
	f.StringVar(&a.filter.Email, "email", "", "only accounts with this e-mail `ADDRESS`")
	f.StringVar(&a.filter.ExternalID, "external-id", "", "only accounts with this `ID` of your own")
	f.StringVar(&a.country, "country", "", "only accounts of this `COUNTRY`, such as GB")
}

// kycStatuses are those of identity checks that the contract has.
func kycStatuses(d *Deps) []string { return d.Enum("listAccounts", "kycStatus") }

// HasStatuses reports whether statuses were given.
func (a *AccountFilters) HasStatuses() bool { return len(a.filter.KYCStatuses) > 0 }

// Query returns the accounts that the flags select; status is the name of the flag of statuses.
func (a *AccountFilters) Query(ctx context.Context, d *Deps, status string) (*Query[payments.Account], error) {
	if err := CheckStatuses(d, status, a.filter.KYCStatuses, kycStatuses(d)); err != nil {
		return nil, err
	}
	if a.country != "" && len(a.country) != len("GB") {
		return nil, Usage("--country does not take %q. It takes an ISO 3166-1 alpha-2 code such as GB", a.country)
	}
	service, err := d.Payments()
	if err != nil {
		return nil, err
	}
	matches := payments.AccountFilter.Matches
	query := &Query[payments.Account]{
		Fetch: func(q payments.PageQuery) ([]payments.Account, *string, error) {
			a.filter.PageQuery = q
			page, err := service.ListAccounts(ctx, a.filter)
			return page.Data, page.NextCursor, err
		},
		ID:      func(a payments.Account) string { return a.ID },
		Created: func(a payments.Account) time.Time { return a.CreatedAt },
		Filters: slices.Concat(
			ListFilter(status, "kycStatus", &a.filter,
				func(f *payments.AccountFilter) *[]payments.KYCStatus { return &f.KYCStatuses }, matches),
			MemberFilter("email", "email", &a.filter,
				func(f *payments.AccountFilter) *string { return &f.Email }, matches),
			MemberFilter("external-id", "externalId", &a.filter,
				func(f *payments.AccountFilter) *string { return &f.ExternalID }, matches),
		),
	}
	if a.country != "" {
		query.Filters = append(query.Filters, Filter[payments.Account]{
			Flag:    "country",
			Matches: func(account payments.Account) bool { return strings.EqualFold(account.Country, a.country) },
		})
	}
	return query, nil
}
