package routes

import (
	"context"
	"strings"

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
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
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
	people := printer.Format() == term.FormatTable
	if people {
		d.Notef("From %s to %s:", written(chosen.SelectedSource), written(chosen.SelectedDestination))
	}
	err = printer.Print(info, func() term.View {
		table := term.Table{Columns: columns, Empty: "No route matches."}
		for _, o := range offers(info) {
			table.Rows = append(table.Rows, o.row())
		}
		return table
	})
	if err != nil {
		return err
	}
	if people && len(info.Routes) == 0 {
		instead(d, info)
	}
	if len(info.Routes) == 1 {
		d.Hint("Next: payctl transfer auto --contact CONTACT --route '%s' --amount AMOUNT", info.Routes[0].RouteKey)
	}
	return nil
}

// written is a side of a selection as it is given on the command line.
func written(e *payments.RouteEndpoint) string {
	if e == nil {
		return "anywhere"
	}
	text := ""
	if e.PaymentRail != nil {
		text = *e.PaymentRail
	}
	if e.Currency != nil {
		text += ":" + *e.Currency
	}
	if e.Provider != nil {
		text += "@" + *e.Provider
	}
	return text
}

// instead tells, where no route matches, what each chosen side can be joined with.
func instead(d *deps.Deps, info payments.TransferInfo) {
	for _, side := range []struct {
		chosen  *payments.RouteEndpoint
		relates string
		others  []payments.AvailableEndpoint
	}{
		{info.SelectedSource, "leads to", info.AvailableDestinations},
		{info.SelectedDestination, "is reached from", info.AvailableSources},
	} {
		if side.chosen == nil {
			continue
		}
		names := make([]string, 0, len(side.others))
		for _, e := range side.others {
			names = append(names, e.PaymentRail+":"+e.Currency)
		}
		if len(names) == 0 {
			names = []string{"nothing here; see payctl routes list"}
		}
		d.Notef("%s %s %s", written(side.chosen), side.relates, strings.Join(names, ", "))
	}
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
