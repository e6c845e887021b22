package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// newRoutes returns `payctl routes`.
func newRoutes(d *cmdutil.Deps) *cobra.Command {
	return cmdutil.Group("routes", "Find routes from a source to a destination", newRouteSelect(d), newRouteList(d))
}

// An offer is a route with its terms, as one JSON object; TransactionInfo is nil if the service sent no terms.
type offer struct {
	RouteKey string `json:"routeKey"` // both embedded structs have one, so JSON would have neither
	payments.TransferRoute
	*payments.TransactionInfo
}

// routeTable has the columns of a list of routes.
var routeTable = resource.Table[offer]{
	{Column: ui.Column{Header: "Route", Name: "routeKey"}},
	{Column: ui.Column{Header: "Flow", Name: "flowType", Rank: 1}},
	{Column: ui.Column{Header: "Provider"}},
	{
		Column: ui.Column{Header: "Rate", Name: "exchangeRate", Right: true, Rank: 2},
		Cell:   termsCell(func(t payments.TransactionInfo) ui.Cell { return cmdutil.Rate(t.ExchangeRate) }),
	}, {
		Column: ui.Column{Header: "Fees", Keep: true},
		Cell:   termsCell(func(t payments.TransactionInfo) ui.Cell { return ui.Text(feesText(t.Fees)) }),
	},
	{Column: ui.Column{Header: "Min", Name: "minAmount", Right: true}},
	{Column: ui.Column{Header: "Max", Name: "maxAmount", Right: true}},
	{
		Column: ui.Column{Header: "Takes", Keep: true}, In: resource.InTable,
		SortBy: "estimatedSettlementSeconds",
		Cell: termsCell(func(t payments.TransactionInfo) ui.Cell {
			return ui.Text(ui.Age(time.Duration(t.EstimatedSettlementSeconds) * time.Second))
		}),
	},
	{Column: ui.Column{Header: "Seconds", Name: "estimatedSettlementSeconds", Right: true}, In: resource.InCSV},
}

// termsCell returns a cell of the terms of a route, or a dash if the service sent none.
func termsCell(cell func(payments.TransactionInfo) ui.Cell) func(offer) ui.Cell {
	return func(o offer) ui.Cell {
		if o.TransactionInfo == nil {
			return ui.Optional("")
		}
		return cell(*o.TransactionInfo)
	}
}

// sides are the flags of both sides of a route.
type sides struct{ source, destination string }

func (s *sides) addTo(cmd *cobra.Command) {
	f := cmd.Flags()
	const usage = "`RAIL:CURRENCY@PROVIDER` of the "
	f.StringVar(&s.source, "source", "", usage+"source; you can leave out parts, as in :USD or ach")
	f.StringVar(&s.destination, "destination", "", usage+"destination")
}

func (s *sides) selection() (selection payments.RouteSelection, err error) {
	if selection.SelectedSource, err = endpoint("source", s.source); err != nil {
		return selection, err
	}
	selection.SelectedDestination, err = endpoint("destination", s.destination)
	return selection, err
}

func newRouteSelect(d *cmdutil.Deps) *cobra.Command {
	var of sides
	cmd := &cobra.Command{
		Use:   "select",
		Short: "Choose a source and a destination: matching routes, and what else can be chosen",
		Long: `Choose a source, a destination, or both. Shown are the chosen pair, the routes that match with their
terms, and the other sources and destinations that can be chosen. JSON and YAML have the whole
answer of the service; CSV and NDJSON have the routes.`,
		Example: `  payctl routes select --source ethereum:USDC --destination sepa:EUR
  payctl routes select --destination :EUR
  payctl routes select --source ach -o json | jq .availableDestinations`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			selection, err := of.selection()
			if err != nil {
				return err
			}
			return selectRoutes(cmd.Context(), d, selection)
		},
	}
	of.addTo(cmd)
	return cmd
}

// selectRoutes prints the answer to a selection.
func selectRoutes(ctx context.Context, d *cmdutil.Deps, selection payments.RouteSelection) error {
	printer, service, err := d.PrinterAndPayments(ctx)
	if err != nil {
		return err
	}
	info, err := service.SelectRoutes(ctx, selection)
	if err != nil {
		return err
	}
	all := offers(info)
	forPerson, err := routeTable.PrintReport(d, printer, info, all, func() ui.Details {
		return slices.Concat(cmdutil.Field("Source", chosenText(info.SelectedSource)),
			cmdutil.Field("Destination", chosenText(info.SelectedDestination)))
	})
	if err != nil {
		return err
	}
	defer routeNextStep(d, all)
	if !forPerson {
		return nil
	}
	most := max(d.Height()-otherLines, leastShown)
	if err := routeTable.Print(printer, all[:min(len(all), most)], "No routes match."); err != nil {
		return err
	}
	if len(all) > most {
		d.Notef("Showing %d of %d routes. routes list has all.", most, len(all))
	}
	return printer.Print(nil, func() ui.Details {
		return slices.Concat(available(d, "Sources", info.AvailableSources),
			available(d, "Destinations", info.AvailableDestinations))
	})
}

const (
	leastShown = 3  // routes that a selection shows on a screen
	otherLines = 10 // beside the routes, with the command and the next prompt
)

// chosenText is a side that was chosen, as it is written on the command line.
func chosenText(of *payments.RouteEndpoint) string {
	if of == nil {
		return "any"
	}
	return endpointText(cmdutil.Text(of.PaymentRail), cmdutil.Text(of.Currency), cmdutil.Text(of.Provider))
}

func endpointText(rail, currency, provider string) string {
	if currency != "" {
		rail += ":" + currency
	}
	if provider != "" {
		rail += "@" + provider
	}
	return rail
}

// available counts and names what can be chosen, in one line of the screen.
func available(d *cmdutil.Deps, label string, all []payments.AvailableEndpoint) ui.Details {
	var names []string
	for _, e := range all {
		if name := endpointText(e.PaymentRail, e.Currency, ""); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	text := strings.TrimSuffix(fmt.Sprintf("%d: %s", len(names), strings.Join(names, ", ")), ": ")
	return cmdutil.Field(label, d.Cut(text, d.Width()-len("Destinations  ")))
}

func newRouteList(d *cmdutil.Deps) *cobra.Command {
	var of sides
	var chosen resource.List
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List routes with their terms",
		Long: `List the routes from a source to a destination, with their terms; without one of them, all that there
are. JSON and YAML have all members.

` + resource.Help,
		Example: `  payctl routes list --source ethereum:USDC --destination sepa:EUR
  payctl routes list --destination :EUR --sort takes
  payctl routes list -o csv > routes.csv`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			selection, err := of.selection()
			if err != nil {
				return err
			}
			return listRoutes(cmd.Context(), d, chosen, selection)
		},
	}
	of.addTo(cmd)
	chosen.Length.AddTo(cmd)
	chosen.Columns.AddTo(cmd, routeTable.Names())
	return cmd
}

// endpoint reads one side of a route as it is written on the command line: rail:CURRENCY@provider. Each part may be
// left out (":USD", "ach", "@northbank"). It is nil if the flag is not set.
func endpoint(flag, text string) (*payments.RouteEndpoint, error) {
	if text == "" {
		return nil, nil
	}
	rest, provider, hasProvider := strings.Cut(text, "@")
	rail, currency, hasCurrency := strings.Cut(rest, ":")
	if strings.ContainsAny(currency+provider, ":@") || hasProvider && provider == "" || hasCurrency && currency == "" {
		return nil, cmdutil.Usage("--%s %q must have the form rail:CURRENCY@provider, such as sepa:EUR; "+
			"each part may be left out, as in :USD or ach", flag, text)
	}
	chosen := &payments.RouteEndpoint{}
	for _, part := range []struct {
		text string
		into **string
	}{{rail, &chosen.PaymentRail}, {strings.ToUpper(currency), &chosen.Currency}, {provider, &chosen.Provider}} {
		if part.text != "" {
			*part.into = &part.text
		}
	}
	return chosen, nil
}

func listRoutes(ctx context.Context, d *cmdutil.Deps, chosen resource.List, selection payments.RouteSelection) error {
	printer, err := resource.NewListPrinter(ctx, d, chosen, routeTable)
	if err != nil {
		return err
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	var all []offer
	printer.Empty = "No routes."
	if err := printer.Print(&resource.ListQuery[offer]{
		Fetch: func(payments.PageQuery) (resource.Page[offer], error) {
			info, err := service.SelectRoutes(ctx, selection)
			all = offers(info)
			return resource.Page[offer]{Rows: all}, err
		},
	}); err != nil {
		return err
	}
	routeNextStep(d, all)
	return nil
}

// offers are the routes of an answer with their terms.
func offers(info payments.TransferInfo) (all []offer) {
	terms := map[string]*payments.TransactionInfo{}
	for i, t := range info.TransactionsInfo {
		terms[t.RouteKey] = &info.TransactionsInfo[i]
	}
	for _, r := range info.Routes {
		all = append(all, offer{r.RouteKey, r, terms[r.RouteKey]})
	}
	return all
}

// routeNextStep says what to do with no route, or with one.
func routeNextStep(d *cmdutil.Deps, all []offer) {
	switch len(all) {
	case 0:
		d.Notef("Leave out --source or --destination to see with what the other one can be combined.")
	case 1:
		d.Hint(shell.Payctl("transfer auto --contact CONTACT --route", all[0].RouteKey, "--amount", "AMOUNT", "--reference",
			"TEXT"))
	}
}

// feesText is fees in words, such as "0.50 USD + 0.25 %".
func feesText(all []payments.Fee) string {
	var parts []string
	for _, fee := range all {
		switch {
		case fee.Rate != nil:
			parts = append(parts, cmdutil.Percent(*fee.Rate))
		case fee.Amount != nil:
			parts = append(parts, fee.Amount.String()+" "+fee.Currency)
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, " + ")
}
