package routes

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

type listOptions struct {
	cmdutil.Columns
	cmdutil.Sort
	selection
	flow string
}

func newList(d *cmdutil.Deps) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List routes with their terms",
		Long: `List routes with their terms. --columns chooses the columns of a table and of CSV; JSON and YAML
always have everything.`,
		Example: `  payctl routes list
  payctl routes list --flow offramp --destination :EUR
  payctl routes list --destination :EUR --sort takes
  payctl routes list -o csv > routes.csv`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return list(cmd.Context(), d, o)
		},
	}
	o.selection.addTo(cmd)
	o.Columns.AddTo(cmd)
	o.Sort.AddTo(cmd)
	cmd.Flags().StringVar(&o.flow, "flow", "", "only routes of this `KIND`: onramp, offramp, swap, bridge, transfer or fx")
	cmdutil.AnnotateColumns(cmd, columns)
	return cmd
}

func list(ctx context.Context, d *cmdutil.Deps, o *listOptions) error {
	chosen, err := o.selected()
	if err != nil {
		return err
	}
	view, err := cmdutil.NewView(ctx, d, o.Columns, o.Sort, columns)
	if err != nil || view == nil {
		return err
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	info, err := service.SelectRoutes(ctx, chosen)
	if err != nil {
		return err
	}
	flow, found := payments.FlowType(o.flow), offers(info)
	isOther := func(o offer) bool { return flow != "" && o.FlowType != flow }
	others := slices.DeleteFunc(slices.Clone(found), isOther)
	if len(others) == 0 && flow != "" && !flow.Valid() {
		return cmdutil.Usage("--flow %s is not a kind of route", flow)
	}
	view.Order(others)
	stream := view.Stream("No routes.")
	if err := stream.WritePage(others, true); err != nil {
		return err
	}
	if err := stream.Close(); err != nil {
		return err
	}
	if len(info.Routes) == 0 {
		printAlternatives(d, info)
	}
	return nil
}
