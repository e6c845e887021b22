// Package routes is `payctl routes`.
package routes

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/display"
	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command payctl routes.
func New(d *invocation.Deps) *cobra.Command {
	return invocation.Group("routes", "Find routes from a source to a destination", newList(d))
}

// An offer is a route with its terms, as one JSON object; TransactionInfo is nil if the service sent no terms.
type offer struct {
	RouteKey string `json:"routeKey"` // both embedded structs have one, so that JSON would have neither
	payments.TransferRoute
	*payments.TransactionInfo
}

// columns are those of a list of routes.
var columns = resource.Table[offer]{
	{Column: ui.Column{Header: "Route", Name: "routeKey"}},
	{Column: ui.Column{Header: "Flow", Name: "flowType", Rank: 1}},
	{Column: ui.Column{Header: "Provider"}},
	{
		Column: ui.Column{Header: "Rate", Name: "exchangeRate", Right: true, Rank: 2},
		Cell:   terms(func(t payments.TransactionInfo) ui.Cell { return display.Rate(t.ExchangeRate) }),
	}, {
		Column: ui.Column{Header: "Fees", Keep: true},
		Cell:   terms(func(t payments.TransactionInfo) ui.Cell { return ui.Text(fees(t.Fees)) }),
	},
	{Column: ui.Column{Header: "Min", Name: "minAmount", Right: true}},
	{Column: ui.Column{Header: "Max", Name: "maxAmount", Right: true}},
	{
		Column: ui.Column{Header: "Takes", Keep: true}, In: resource.InTable,
		SortBy: "estimatedSettlementSeconds",
		Cell: terms(func(t payments.TransactionInfo) ui.Cell {
			return ui.Text(ui.Age(time.Duration(t.EstimatedSettlementSeconds) * time.Second))
		}),
	},
	{Column: ui.Column{Header: "Seconds", Name: "estimatedSettlementSeconds", Right: true}, In: resource.InCSV},
}

// terms returns a cell of the terms of a route, or a dash if the service sent none.
func terms(cell func(payments.TransactionInfo) ui.Cell) func(offer) ui.Cell {
	return func(o offer) ui.Cell {
		if o.TransactionInfo == nil {
			return ui.Optional("")
		}
		return cell(*o.TransactionInfo)
	}
}

func newList(d *invocation.Deps) *cobra.Command {
	var source, destination string
	var chosen resource.Columns
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"select"},
		Short:   "List routes with their terms",
		Long: `List the routes from a source to a destination, with their terms. If there is none, standard error says
what the source or the destination can be combined with. JSON and YAML have all members.`,
		Example: `  payctl routes list --source ethereum:USDC --destination sepa:EUR
  payctl routes list --destination :EUR --sort takes
  payctl routes list -o csv > routes.csv`,
		Args: invocation.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var selection payments.RouteSelection
			var err error
			if selection.SelectedSource, err = endpoint("source", source); err != nil {
				return err
			}
			if selection.SelectedDestination, err = endpoint("destination", destination); err != nil {
				return err
			}
			return list(cmd.Context(), d, chosen, selection)
		},
	}
	f := cmd.Flags()
	const usage = "`RAIL:CURRENCY@PROVIDER` of the "
	f.StringVar(&source, "source", "", usage+"source; you can leave out parts, as in :USD or ach")
	f.StringVar(&destination, "destination", "", usage+"destination")
	chosen.AddTo(cmd, columns.Names())
	return cmd
}

// endpoint returns what a flag describes, or nil if it is not set.
func endpoint(flag, text string) (*payments.RouteEndpoint, error) {
	if text == "" {
		return nil, nil
	}
	parsed, err := parseEndpoint(text)
	if err != nil {
		return nil, exit.Usage("--%s %v", flag, err)
	}
	return parsed, nil
}

func list(ctx context.Context, d *invocation.Deps, chosen resource.Columns, selection payments.RouteSelection) error {
	view, err := columns.View(ctx, d, chosen)
	if err != nil {
		return err
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	info, err := service.SelectRoutes(ctx, selection)
	if err != nil {
		return err
	}
	terms := map[string]*payments.TransactionInfo{}
	for i, t := range info.TransactionsInfo {
		terms[t.RouteKey] = &info.TransactionsInfo[i]
	}
	offers := make([]offer, 0, len(info.Routes))
	for _, r := range info.Routes {
		offers = append(offers, offer{r.RouteKey, r, terms[r.RouteKey]})
	}
	view.Order(offers)
	if err := view.Print(offers, "No routes."); err != nil {
		return err
	}
	switch len(offers) {
	case 0:
		noteAlternatives(d, "source", "leads to", selection.SelectedSource, info.AvailableDestinations)
		noteAlternatives(d, "destination", "is reached from", selection.SelectedDestination, info.AvailableSources)
	case 1:
		d.Hint(shell.Hint("Next: payctl transfer auto --contact CONTACT --route ROUTE --amount AMOUNT --reference TEXT",
			shell.Values{"ROUTE": offers[0].RouteKey}))
	}
	return nil
}

// noteAlternatives prints what a side that was chosen can be combined with.
func noteAlternatives(d *invocation.Deps, side, relates string, chosen *payments.RouteEndpoint, others []payments.AvailableEndpoint) {
	if chosen == nil {
		return
	}
	text := display.Text(chosen.PaymentRail)
	if currency := display.Text(chosen.Currency); currency != "" {
		text += ":" + currency
	}
	var names []string
	for _, e := range others {
		names = append(names, e.PaymentRail+":"+e.Currency)
	}
	if len(names) == 0 {
		d.Notef("there is no %s %s; payctl routes list has all", side, text)
		return
	}
	d.Notef("%s %s %s", text, relates, strings.Join(names, ", "))
}

// fees are in words, such as "0.50 USD + 0.25 %".
func fees(all []payments.Fee) string {
	var parts []string
	for _, fee := range all {
		switch {
		case fee.Rate != nil:
			parts = append(parts, display.Percent(*fee.Rate))
		case fee.Amount != nil:
			parts = append(parts, fee.Amount.String()+" "+fee.Currency)
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, " + ")
}
