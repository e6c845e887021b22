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
	filter payments.AccountFilter
	pii    bool
}

func newList(d *cmdutil.Deps) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List accounts, newest first",
		Long: `List accounts, newest first. JSON output is one array, however many pages the service returns.
Personal data is masked in every output format. --show-pii shows it.`,
		Example: `  payctl accounts list --kyc-status pending
  payctl accounts list --all -o ndjson | jq -r .id`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), d, o) },
	}
	o.List.AddTo(cmd)
	f := cmd.Flags()
	cmdutil.AddValues(cmd, &o.filter.KYCStatuses, "kyc-status", "only accounts whose identity check has one of these `STATUSES`")
	f.StringVar(&o.filter.Email, "email", "", "only accounts with this e-mail `ADDRESS`")
	f.StringVar(&o.filter.ExternalID, "external-id", "", "only accounts with this `ID` of your own")
	cmdutil.AddShowPII(d, cmd, &o.pii)
	return cmd
}

var columns = []ui.Column{
	{Header: "Account", Name: "id"}, {Header: "Name"}, {Header: "Type"}, {Header: "KYC", Name: "kycStatus", Keep: true},
	{Header: "E-mail", Name: "email"}, {Header: "Country", Keep: true}, {Header: "Created", Name: "createdAt"},
}

func list(ctx context.Context, d *cmdutil.Deps, o *listOptions) error {
	service, err := d.Payments()
	if err != nil {
		return err
	}
	fetch := func(q payments.PageQuery) ([]payments.Account, *string, error) {
		o.filter.PageQuery = q
		page, err := service.ListAccounts(ctx, o.filter)
		for i := range page.Data {
			page.Data[i] = shown(page.Data[i], o.pii)
		}
		return page.Data, page.NextCursor, err
	}
	return cmdutil.PrintList(ctx, d, o.List, columns, "No accounts.", fetch, func(a payments.Account) []ui.Cell {
		return []ui.Cell{ui.Text(a.ID), ui.Text(a.Name()), ui.Text(string(a.Type)), cmdutil.KYCStatus(a.KYCStatus),
			ui.Text(a.Email), ui.Text(a.Country), ui.Text(cmdutil.Time(a.CreatedAt))}
	})
}
