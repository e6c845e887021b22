package accounts

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
)

type listOptions struct {
	resource.List
	resource.AccountFilters
	pii bool
}

func newList(d *cmdutil.Deps) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List accounts, newest first",
		Long: `List accounts, newest first. Personal data is masked without --show-pii.

` + resource.Help,
		Example: `  payctl accounts list --status pending,under_review
  payctl accounts list --created-after 7d --sort name
  payctl accounts list --name "jurgen weiss" --show-pii
  payctl accounts list --all -o ndjson | jq -r .id`,
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), d, o) },
	}
	o.List.AddTo(cmd, resource.Accounts.Names())
	o.AccountFilters.AddTo(cmd)
	cmdutil.AddShowPII(cmd, &o.pii)
	return cmd
}

func list(ctx context.Context, d *cmdutil.Deps, o *listOptions) error {
	defer o.TellLooked(d)
	printer, err := resource.NewListPrinter(ctx, d, o.List, resource.Accounts)
	if err != nil {
		return err
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	query, err := o.Query(ctx, d, service)
	if err != nil {
		return err
	}
	printer.Empty = "No accounts."
	printer.Shown = func(a payments.Account) payments.Account { return shown(a, o.pii) }
	return printer.Print(query)
}
