package accounts

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

type listOptions struct {
	cmdutil.List
	cmdutil.AccountFilters
	pii bool
}

func newList(d *cmdutil.Deps) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List accounts, newest first",
		Long: `List accounts, newest first. Personal data is masked without --show-pii.

` + cmdutil.ListHelp,
		Example: `  payctl accounts list --kyc-status pending,under_review
  payctl accounts list --created-after 7d --sort name
  payctl accounts list --all -o ndjson | jq -r .id`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), d, o) },
	}
	o.List.AddTo(cmd)
	o.AccountFilters.AddTo(d, cmd, "kyc-status")
	cmdutil.AddShowPII(d, cmd, &o.pii)
	cmdutil.AnnotateColumns(cmd, columns)
	return cmd
}

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
		Query: func() (*cmdutil.Query[payments.Account], error) { return o.Query(ctx, d, "kyc-status") },
		Shown: func(a payments.Account) payments.Account { return shown(a, o.pii) },
	})
}
