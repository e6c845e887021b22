package transfer

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

type listOptions struct {
	cmdutil.List
	filter payments.TransferFilter
}

func newList(d *cmdutil.Deps) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List transfers, newest first",
		Example: `  payctl transfer list --state awaiting_funds
  payctl transfer list --reference invoice-42 -o json | jq -r '.[].id'`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), d, o) },
	}
	o.List.AddTo(cmd)
	f := cmd.Flags()
	f.StringVar(&o.filter.AccountID, "account", "", "only those of this `ACCOUNT`")
	cmdutil.AddValues(cmd, &o.filter.States, "state", "only those in one of these `STATES`")
	f.StringVar(&o.filter.Reference, "reference", "", "only those with this `REFERENCE`")
	f.StringVar(&o.filter.ExternalID, "external-id", "", "only those with this `ID` of yours")
	f.StringVar(&o.filter.BatchID, "batch", "", "only those of this `BATCH`")
	return cmd
}

func list(ctx context.Context, d *cmdutil.Deps, o *listOptions) error {
	service, err := d.Payments()
	if err != nil {
		return err
	}
	fetch := func(q payments.PageQuery) ([]payments.Transfer, *string, error) {
		o.filter.PageQuery = q
		page, err := service.ListTransfers(ctx, o.filter)
		return page.Data, page.NextCursor, err
	}
	return cmdutil.PrintList(ctx, d, o.List, columns, "No transfers.", fetch, row)
}
