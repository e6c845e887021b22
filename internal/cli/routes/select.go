package routes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

func newSelect(d *cmdutil.Deps) *cobra.Command {
	s := &selection{}
	cmd := &cobra.Command{
		Use:   "select",
		Short: "Choose a source and a destination and show the routes between them",
		Long: `Choose a source and a destination and show the routes between them with their terms. Each flag
narrows the choice. Without flags, at a terminal, the command lists both sides and asks for a number.`,
		Example: `  payctl routes select --source ethereum:USDC --destination sepa:EUR
  payctl routes select --source :USD
  payctl routes select --destination :BRL -o json | jq -r '.routes[].routeKey'`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return choose(cmd.Context(), d, s) },
	}
	s.addTo(cmd)
	return cmd
}

func choose(ctx context.Context, d *cmdutil.Deps, s *selection) error {
	chosen, err := s.selected()
	if err != nil {
		return err
	}
	printer, service, err := d.PrinterAndPayments(ctx)
	if err != nil {
		return err
	}
	if chosen == (payments.RouteSelection{}) && d.InTTY && d.OutTTY && d.ErrTTY {
		if chosen, err = ask(ctx, d, service); err != nil {
			return err
		}
	}
	info, err := service.SelectRoutes(ctx, chosen)
	if err != nil {
		return err
	}
	people := printer.Format() == ui.FormatTable
	if people {
		d.Notef("From %s to %s:", formatEndpoint(chosen.SelectedSource), formatEndpoint(chosen.SelectedDestination))
	}
	err = printer.Print(info, func() ui.View { return cmdutil.Table(columns, offers(info), printer.Format(), "No route matches.") })
	if err != nil {
		return err
	}
	if people && len(info.Routes) == 0 {
		printAlternatives(d, info)
	}
	if len(info.Routes) == 1 {
		d.Hint(shell.Hint("Next: payctl transfer auto --contact CONTACT --route ROUTE --amount AMOUNT --reference TEXT",
			shell.Values{"ROUTE": info.Routes[0].RouteKey}))
	}
	return nil
}

// formatEndpoint formats a side of a selection as the flags take it.
func formatEndpoint(e *payments.RouteEndpoint) string {
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

// printAlternatives prints for each chosen side what it can be combined with. It is called when no route matches.
func printAlternatives(d *cmdutil.Deps, info payments.TransferInfo) {
	for _, side := range []struct {
		name    string
		chosen  *payments.RouteEndpoint
		relates string
		like    []payments.AvailableEndpoint // what this side can be, with the other side as it is chosen
		others  []payments.AvailableEndpoint
	}{
		{"source", info.SelectedSource, "leads to", info.AvailableSources, info.AvailableDestinations},
		{"destination", info.SelectedDestination, "is reached from", info.AvailableDestinations, info.AvailableSources},
	} {
		if side.chosen == nil {
			continue
		}
		names := make([]string, 0, len(side.others))
		for _, e := range side.others {
			names = append(names, e.PaymentRail+":"+e.Currency)
		}
		switch wrong := wrongPart(side.name, *side.chosen, side.like); {
		case len(names) > 0:
			d.Notef("%s %s %s", formatEndpoint(side.chosen), side.relates, strings.Join(names, ", "))
		case wrong != "":
			d.Notef("%s", wrong)
		default:
			d.Notef("%s %s nothing; run payctl routes list to see all routes", formatEndpoint(side.chosen), side.relates)
		}
	}
}

// wrongPart describes the part of a side of a selection that no endpoint has which has the parts before it, and what it
// can be. It is empty if there is none.
func wrongPart(side string, chosen payments.RouteEndpoint, known []payments.AvailableEndpoint) string {
	among := "no " + side
	for _, part := range []struct {
		name   string
		chosen *string
		of     func(payments.AvailableEndpoint) string
	}{
		{"rail", chosen.PaymentRail, func(e payments.AvailableEndpoint) string { return e.PaymentRail }},
		{"currency", chosen.Currency, func(e payments.AvailableEndpoint) string { return e.Currency }},
		{"provider", chosen.Provider, func(e payments.AvailableEndpoint) string { return e.Provider }},
	} {
		if part.chosen == nil || len(known) == 0 {
			continue
		}
		value := *part.chosen
		var values []string
		var those []payments.AvailableEndpoint
		isCurrency := false
		for _, e := range known {
			if !slices.Contains(values, part.of(e)) {
				values = append(values, part.of(e))
			}
			if part.of(e) == value {
				those = append(those, e)
			}
			isCurrency = isCurrency || strings.EqualFold(e.Currency, value)
		}
		if len(those) > 0 {
			known, among = those, among+" with the "+part.name+" "+value
			continue
		}
		if part.name == "rail" && isCurrency {
			return fmt.Sprintf("%s is a currency, which is written with a colon: --%s :%s", value, side, strings.ToUpper(value))
		}
		text := fmt.Sprintf("there is %s and the %s %s", among, part.name, value)
		if part.name == "rail" || !strings.Contains(among, " with ") {
			text = fmt.Sprintf("there is %s with the %s %s", among, part.name, value)
		}
		if wrong := cmdutil.CheckValue("", value, values); len(wrong.Next) > 0 {
			text += "; " + wrong.Next[0]
		}
		return text + ". It can be " + strings.Join(values, ", ")
	}
	return ""
}

// ask lets the user choose a source, and then a destination that it leads to.
func ask(ctx context.Context, d *cmdutil.Deps, service payments.Service) (payments.RouteSelection, error) {
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
	title := "Destination from " + formatEndpoint(chosen.SelectedSource)
	chosen.SelectedDestination, err = askEndpoint(ctx, d, title, info.AvailableDestinations)
	return chosen, err
}

func askEndpoint(
	ctx context.Context, d *cmdutil.Deps, label string, from []payments.AvailableEndpoint,
) (*payments.RouteEndpoint, error) {
	options := make([]string, 0, len(from))
	for _, e := range from {
		options = append(options, e.PaymentRail+":"+e.Currency+" ("+e.Provider+")")
	}
	i, err := d.Choose(ctx, label, options)
	if err != nil {
		return nil, err
	}
	e := from[i]
	return &payments.RouteEndpoint{Currency: &e.Currency, PaymentRail: &e.PaymentRail, Provider: &e.Provider}, nil
}
