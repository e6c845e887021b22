package accounts

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

type listOptions struct {
	deps.List
	filter payments.AccountFilter
	status string
	pii    bool
}

func newList(d *deps.Deps) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List accounts, newest first",
		Long: `List accounts, newest first, page after page. As JSON they are one array, whatever the service's pages look like.
Personal data is masked in every form of output, unless --show-pii is given.`,
		Example: `  payctl accounts list --kyc-status pending
  payctl accounts list --all -o ndjson | jq -r .id`,
		Args: deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), d, o) },
	}
	o.List.AddTo(cmd)
	f := cmd.Flags()
	f.StringVar(&o.status, "kyc-status", "", "only those whose identity check has this `STATUS`")
	f.StringVar(&o.filter.Email, "email", "", "only those with this e-mail `ADDRESS`")
	f.StringVar(&o.filter.ExternalID, "external-id", "", "only those with this `ID` of yours")
	deps.AddShowPII(d, cmd, &o.pii)
	return cmd
}

var columns = []term.Column{
	{Header: "Account", Name: "id"}, {Header: "Name"}, {Header: "Type"}, {Header: "KYC", Name: "kycStatus", Keep: true},
	{Header: "E-mail", Name: "email"}, {Header: "Country", Keep: true}, {Header: "Created", Name: "createdAt"},
}

func list(ctx context.Context, d *deps.Deps, o *listOptions) error {
	service, err := d.Payments()
	if err != nil {
		return err
	}
	o.filter.KYCStatus = payments.KYCStatus(o.status)
	fetch := func(q payments.PageQuery) ([]payments.Account, *string, error) {
		o.filter.PageQuery = q
		page, err := service.ListAccounts(ctx, o.filter)
		for i := range page.Data {
			page.Data[i] = shown(page.Data[i], o.pii)
		}
		return page.Data, page.NextCursor, err
	}
	return deps.Show(ctx, d, o.List, columns, "No accounts.", fetch, func(a payments.Account) []term.Cell {
		return []term.Cell{term.Text(a.ID), term.Text(a.Name()), term.Text(string(a.Type)), deps.KYCStatus(a.KYCStatus),
			term.Text(a.Email), term.Text(a.Country), term.Text(deps.Time(a.CreatedAt))}
	})
}
