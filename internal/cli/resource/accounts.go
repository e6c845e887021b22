package resource

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cliflags"
	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/payments"
)

// AccountFilters are the flags that select accounts, apart from the time of their creation.
type AccountFilters struct {
	filter  payments.AccountFilter
	country string
}

// AddTo adds the flags.
func (a *AccountFilters) AddTo(cmd *cobra.Command) { a.selection(cmd) }

// HasStatuses reports whether statuses were given.
func (a *AccountFilters) HasStatuses() bool { return len(a.filter.KYCStatuses) > 0 }

// NamesOne reports whether the filters name an account.
func (a *AccountFilters) NamesOne() bool { return a.filter.Email != "" || a.filter.ExternalID != "" }

// selection returns the filters, and adds their flags to a command if there is one.
func (a *AccountFilters) selection(cmd *cobra.Command) (s Selection[payments.Account]) {
	Several(&s, cmd, &a.filter.KYCStatuses, "status", "kycStatus", "only accounts with one of these `STATUSES`, such as pending,paused")
	s.Text(cmd, &a.filter.Email, "email", "email", "email", "only accounts with this e-mail `ADDRESS`")
	s.Text(cmd, &a.filter.ExternalID, "external-id", "externalId", "externalId", "only accounts with this `ID` of your own")
	s.Text(cmd, &a.country, "country", "", "country", "only accounts of this `COUNTRY`, such as GB")
	return s
}

// Query returns the accounts that the flags select.
func (a *AccountFilters) Query(ctx context.Context, d *invocation.Deps) (*Query[payments.Account], error) {
	if err := cliflags.CheckStatuses(d, "status", a.filter.KYCStatuses, d.Enum("listAccounts", "kycStatus")); err != nil {
		return nil, err
	}
	if a.country = strings.ToUpper(a.country); a.country != "" && len(a.country) != len("GB") {
		return nil, exit.Usage("--country does not take %q. It takes an ISO 3166-1 alpha-2 code such as GB", a.country)
	}
	service, err := d.Payments()
	if err != nil {
		return nil, err
	}
	filters, email := a.selection(nil).Given(), payments.AccountFilter{Email: a.filter.Email}
	for _, f := range filters {
		if f.Flag == "email" {
			f.Matches = email.Matches // in any letter case, unless the service masks it
		}
	}
	return &Query[payments.Account]{
		Fetch: func(q payments.PageQuery) ([]payments.Account, *string, error) {
			a.filter.PageQuery = q
			page, err := service.ListAccounts(ctx, a.filter)
			return page.Data, page.NextCursor, err
		},
		ID:      func(a payments.Account) string { return a.ID },
		Created: func(a payments.Account) time.Time { return a.CreatedAt },
		Filters: filters,
	}, nil
}
