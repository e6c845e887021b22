package routes

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
)

func newList(d *deps.Deps) *cobra.Command {
	s, flow := &selection{}, ""
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List routes with their terms",
		Example: `  payctl routes list
  payctl routes list --flow offramp --destination :EUR
  payctl routes list -o csv > routes.csv`,
		Args: deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			chosen, err := s.selected()
			if err != nil {
				return err
			}
			return list(cmd.Context(), d, chosen, payments.FlowType(flow))
		},
	}
	s.addTo(cmd)
	cmd.Flags().StringVar(&flow, "flow", "", "only routes of this `KIND`: onramp, offramp, swap, bridge, transfer or fx")
	return cmd
}

func list(ctx context.Context, d *deps.Deps, chosen payments.RouteSelection, flow payments.FlowType) error {
	printer, err := d.Printer(ctx)
	if err != nil {
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
	found := offers(info)
	if flow != "" && !flow.Valid() && !slices.ContainsFunc(found, func(o offer) bool { return o.FlowType == flow }) {
		return deps.Usage("--flow %s is no kind of route", flow)
	}
	stream := printer.Stream(columns)
	stream.Empty = "No routes."
	page := deps.Rows{}
	for _, o := range found {
		if flow == "" || o.FlowType == flow {
			page.Add(o, o.row())
		}
	}
	if err := stream.WritePage(page.Values, page.Cells); err != nil {
		return err
	}
	return stream.Close()
}
