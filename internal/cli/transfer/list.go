package transfer

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

type listOptions struct {
	cmdutil.List
	filters
}

func newList(d *cmdutil.Deps) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List transfers, newest first",
		Long: `List transfers, newest first.

` + cmdutil.ListHelp,
		Example: `  payctl transfer list --state awaiting_funds,in_review
  payctl transfer list --created-after yesterday --created-before today --all -o csv > yesterday.csv
  payctl transfer list --reference invoice-42 -o json | jq -r '.[].id'
  payctl transfer list --sort -sourceAmount --limit 5 --columns id,sends,reference`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), d, o) },
	}
	o.List.AddTo(cmd)
	o.filters.addTo(cmd)
	cmdutil.AnnotateColumns(cmd, columns)
	return cmd
}

func list(ctx context.Context, d *cmdutil.Deps, o *listOptions) error {
	return cmdutil.PrintList(ctx, d, o.List, cmdutil.Listing[payments.Transfer]{
		Columns: columns, Empty: "No transfers.",
		Query: func() (*cmdutil.Query[payments.Transfer], error) { return o.query(ctx, d) },
	})
}
