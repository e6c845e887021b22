package transfer

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
)

type listOptions struct {
	resource.List
	filters
}

func newList(d *invocation.Deps) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List transfers, newest first",
		Long: `List transfers, newest first.

` + resource.Help,
		Example: `  payctl transfer list --state awaiting_funds,in_review
  payctl transfer list --created-after yesterday --created-before today --all -o csv > yesterday.csv
  payctl transfer list --reference invoice-42 -o json | jq -r '.[].id'
  payctl transfer list --sort -sourceAmount --limit 5 --columns id,sends,reference`,
		Args: invocation.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), d, o) },
	}
	o.List.AddTo(cmd, Table.Names())
	o.filters.selection(cmd)
	return cmd
}

func list(ctx context.Context, d *invocation.Deps, o *listOptions) error {
	return resource.PrintList(ctx, d, o.List, resource.Listing[payments.Transfer]{
		Table: Table, Empty: "No transfers.",
		Query: func() (*resource.Query[payments.Transfer], error) { return o.query(ctx, d) },
	})
}
