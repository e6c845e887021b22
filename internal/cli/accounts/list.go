package accounts

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

type listOptions struct {
	cmdutil.List
	filter  payments.AccountFilter
	country string
	pii     bool

	allowUnknown bool
}

func newList(d *cmdutil.Deps) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List accounts, newest first",
		Long: `List accounts, newest first. Personal data is masked in every output format. --show-pii shows it.

` + cmdutil.ListHelp,
		Example: `  payctl accounts list --kyc-status pending,under_review
  payctl accounts list --created-after 7d --sort name
  payctl accounts list --all -o ndjson | jq -r .id`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), d, o) },
	}
	o.List.AddTo(cmd)
	f := cmd.Flags()
	cmdutil.AddValues(cmd, &o.filter.KYCStatuses, "kyc-status",
		"only accounts whose identity check has one of these `STATUSES`: "+strings.Join(statuses(d), ", "))
	cmdutil.AddAllowUnknown(f, &o.allowUnknown)
	f.StringVar(&o.filter.Email, "email", "", "only accounts with this e-mail `ADDRESS`")
	f.StringVar(&o.filter.ExternalID, "external-id", "", "only accounts with this `ID` of your own")
	f.StringVar(&o.country, "country", "", "only accounts of this `COUNTRY`, such as GB")
	cmdutil.AddShowPII(d, cmd, &o.pii)
	cmdutil.AnnotateColumns(cmd, columns)
	return cmd
}

// statuses are those of identity checks that the contract has.
func statuses(d *cmdutil.Deps) []string { return d.Enum("listAccounts", "kycStatus") }

var columns = []cmdutil.Column[payments.Account]{
	{
		Column: ui.Column{Header: "Account", Name: "id"}, About: "identifier",
		Cell: func(a payments.Account) ui.Cell { return ui.Text(a.ID) },
	}, {
		Column: ui.Column{Header: "Name", Rank: 3}, About: "name of the person or company",
		Cell: func(a payments.Account) ui.Cell { return ui.Text(a.Name()) },
	}, {
		Column: ui.Column{Header: "Type"}, About: "individual or business",
		Cell: func(a payments.Account) ui.Cell { return ui.Text(string(a.Type)) },
	}, {
		Column: ui.Column{Header: "KYC", Name: "kycStatus", Keep: true}, About: "status of the identity check",
		Cell: func(a payments.Account) ui.Cell { return cmdutil.KYCStatus(a.KYCStatus) },
	}, {
		Column: ui.Column{Header: "E-mail", Name: "email", Rank: 2}, About: "e-mail address",
		Cell: func(a payments.Account) ui.Cell { return ui.Text(a.Email) },
	}, {
		Column: ui.Column{Header: "Country", Keep: true}, About: "country code",
		Cell: func(a payments.Account) ui.Cell { return ui.Text(a.Country) },
	}, {
		Column: ui.Column{Header: "External id", Name: "externalId", Ends: true}, About: "your own id", In: cmdutil.InCSV,
		Cell: func(a payments.Account) ui.Cell { return ui.Optional(a.ExternalID) },
	}, {
		Column: ui.Column{Header: "Metadata"}, About: "your own keys and values", In: cmdutil.IfAsked,
		Cell: func(a payments.Account) ui.Cell { return cmdutil.MetadataCell(a.Metadata) },
	}, {
		Column: ui.Column{Header: "Created", Name: "createdAt", Whole: true, Rank: 1}, About: "when it was created",
		Cell: func(a payments.Account) ui.Cell { return cmdutil.TimeCell(a.CreatedAt) },
	}, {
		Column: ui.Column{Header: "Changed", Name: "updatedAt", Whole: true}, About: "when it last changed", In: cmdutil.InCSV,
		Cell: func(a payments.Account) ui.Cell { return cmdutil.TimeCell(a.UpdatedAt) },
	},
}

func list(ctx context.Context, d *cmdutil.Deps, o *listOptions) error {
	return cmdutil.PrintList(ctx, d, o.List, cmdutil.Listing[payments.Account]{
		Columns: columns, Empty: "No accounts.",
		Query: func() (*cmdutil.Query[payments.Account], error) { return o.query(ctx, d) },
		Shown: func(a payments.Account) payments.Account { return shown(a, o.pii) },
	})
}

// query returns the accounts that the flags select.
func (o *listOptions) query(ctx context.Context, d *cmdutil.Deps) (*cmdutil.Query[payments.Account], error) {
	if err := cmdutil.CheckStatuses("kyc-status", o.filter.KYCStatuses, statuses(d), o.allowUnknown); err != nil {
		return nil, err
	}
	if o.country != "" && len(o.country) != len("GB") {
		return nil, cmdutil.Usage("--country does not take %q. It takes an ISO 3166-1 alpha-2 code such as GB", o.country)
	}
	service, err := d.Payments()
	if err != nil {
		return nil, err
	}
	matches := payments.AccountFilter.Matches
	query := &cmdutil.Query[payments.Account]{
		Fetch: func(q payments.PageQuery) ([]payments.Account, *string, error) {
			o.filter.PageQuery = q
			page, err := service.ListAccounts(ctx, o.filter)
			return page.Data, page.NextCursor, err
		},
		ID:      func(a payments.Account) string { return a.ID },
		Created: func(a payments.Account) time.Time { return a.CreatedAt },
		Filters: slices.Concat(
			cmdutil.ListFilter("kyc-status", "kycStatus", &o.filter,
				func(f *payments.AccountFilter) *[]payments.KYCStatus { return &f.KYCStatuses }, matches),
			cmdutil.MemberFilter("email", "email", &o.filter,
				func(f *payments.AccountFilter) *string { return &f.Email }, matches),
			cmdutil.MemberFilter("external-id", "externalId", &o.filter,
				func(f *payments.AccountFilter) *string { return &f.ExternalID }, matches),
		),
	}
	if o.country != "" {
		query.Filters = append(query.Filters, cmdutil.Filter[payments.Account]{
			Flag: "country", Matches: func(a payments.Account) bool { return strings.EqualFold(a.Country, o.country) },
		})
	}
	return query, nil
}
