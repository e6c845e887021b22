package routes

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

func newList(d *cmdutil.Deps) *cobra.Command {
	s, flow := &selection{}, ""
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List routes with their terms",
		Example: `  payctl routes list
  payctl routes list --flow offramp --destination :EUR
  payctl routes list -o csv > routes.csv`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return list(cmd.Context(), d, s, payments.FlowType(flow))
		},
	}
	s.addTo(cmd)
	cmd.Flags().StringVar(&flow, "flow", "", "only routes of this `KIND`: onramp, offramp, swap, bridge, transfer or fx")
	return cmd
}

func list(ctx context.Context, d *cmdutil.Deps, s *selection, flow payments.FlowType) error {
	chosen, err := s.selected()
	if err != nil {
		return err
	}
	printer, service, err := d.PrinterAndPayments(ctx)
	if err != nil {
		return err
	}
	info, err := service.SelectRoutes(ctx, chosen)
	if err != nil {
		return err
	}
	found := offers(info)
	if flow != "" && !flow.Valid() && !slices.ContainsFunc(found, func(o offer) bool { return o.FlowType == flow }) {
		return cmdutil.Usage("--flow %s is not a kind of route", flow)
	}
	stream := printer.Stream(columns)
	stream.Empty = "No routes."
	page := cmdutil.Rows{}
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
