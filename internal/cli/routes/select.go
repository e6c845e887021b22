package routes

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

func newSelect(d *deps.Deps) *cobra.Command {
	s := &selection{}
	cmd := &cobra.Command{
		Use:   "select",
		Short: "Choose a source and a destination and show the routes between them",
		Long: `Choose a source and a destination and show the routes between them with their terms. What is given narrows the choice;
at a terminal, with nothing given, it asks.`,
		Example: `  payctl routes select --source ethereum:USDC --destination sepa:EUR
  payctl routes select --source :USD
  payctl routes select --destination-currency BRL -o json | jq -r '.routes[].routeKey'`,
		Args: deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			chosen, err := s.selected()
			if err != nil {
				return err
			}
			return choose(cmd.Context(), d, chosen)
		},
	}
	s.addTo(cmd)
	return cmd
}

func choose(ctx context.Context, d *deps.Deps, chosen payments.RouteSelection) error {
	service, err := d.Payments()
	if err != nil {
		return err
	}
	asks := chosen == (payments.RouteSelection{}) && d.InTTY && d.OutTTY && d.ErrTTY
	if asks {
		if chosen, err = ask(ctx, d, service); err != nil {
			return err
		}
	}
	info, err := service.SelectRoutes(ctx, chosen)
	if err != nil {
		return err
	}
	err = d.Print(ctx, info, func() term.View {
		table := term.Table{Columns: columns, Empty: "No route matches. See what there is with: payctl routes list"}
		for _, o := range offers(info) {
			table.Rows = append(table.Rows, o.row())
		}
		return table
	})
	if err == nil && len(info.Routes) == 1 {
		d.Hint("Next: payctl transfer auto --contact CONTACT --route '%s' --amount AMOUNT", info.Routes[0].RouteKey)
	}
	return err
}

// ask lets the person at the terminal choose a source, and a destination among those that it reaches.
func ask(ctx context.Context, d *deps.Deps, service payments.Service) (payments.RouteSelection, error) {
	var chosen payments.RouteSelection
	info, err := service.SelectRoutes(ctx, chosen)
	if err != nil {
		return chosen, err
	}
	if chosen.SelectedSource, err = askEndpoint(ctx, d, "Source", info.AvailableSources); err != nil {
		return chosen, err
	}
	if info, err = service.SelectRoutes(ctx, chosen); err != nil {
		return chosen, err
	}
	chosen.SelectedDestination, err = askEndpoint(ctx, d, "Destination", info.AvailableDestinations)
	return chosen, err
}

func askEndpoint(ctx context.Context, d *deps.Deps, label string, from []payments.AvailableEndpoint) (*payments.RouteEndpoint, error) {
	options := make([]string, 0, len(from))
	for _, e := range from {
		options = append(options, e.PaymentRail+":"+e.Currency+" ("+e.Provider+")")
	}
	i, err := d.Choose(ctx, label, options)
	if err != nil {
		return nil, err
	}
	return &payments.RouteEndpoint{Currency: &from[i].Currency, PaymentRail: &from[i].PaymentRail, Provider: &from[i].Provider}, nil
}
