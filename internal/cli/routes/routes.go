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
		Long: `List the routes from a source to a destination, with their terms; without one of them, all that there
are. JSON and YAML have all members.`,
		Example: `  payctl routes list --source ethereum:USDC --destination sepa:EUR
  payctl routes list --destination :EUR --sort takes
  payctl routes list -o csv > routes.csv`,
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

// endpoint reads one side of a route as it is written on the command line: rail:CURRENCY@provider. Each part may be
// left out (":USD", "ach", "@northbank"). It is nil if the flag is not set.
func endpoint(flag, text string) (*payments.RouteEndpoint, error) {
	if text == "" {
		return nil, nil
	}
	rest, provider, hasProvider := strings.Cut(text, "@")
	rail, currency, hasCurrency := strings.Cut(rest, ":")
	if strings.ContainsAny(currency+provider, ":@") || hasProvider && provider == "" || hasCurrency && currency == "" {
		return nil, exit.Usage("--%s %q must have the form rail:CURRENCY@provider, such as sepa:EUR; "+
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

func list(ctx context.Context, d *invocation.Deps, chosen resource.Columns, selection payments.RouteSelection) error {
	var offers []offer
	if err := resource.PrintList(ctx, d, resource.List{Columns: chosen}, resource.Listing[offer]{
		Table: columns, Empty: "No routes.",
		Query: func() (*resource.Query[offer], error) {
			service, err := d.Payments()
			return &resource.Query[offer]{Fetch: func(payments.PageQuery) ([]offer, *string, error) {
				info, err := service.SelectRoutes(ctx, selection)
				terms := map[string]*payments.TransactionInfo{}
				for i, t := range info.TransactionsInfo {
					terms[t.RouteKey] = &info.TransactionsInfo[i]
				}
				for _, r := range info.Routes {
					offers = append(offers, offer{r.RouteKey, r, terms[r.RouteKey]})
				}
				return offers, nil, err
			}}, err
		},
	}); err != nil {
		return err
	}
	switch len(offers) {
	case 0:
		d.Notef("Leave out --source or --destination to see with what the other one can be combined.")
	case 1:
		d.Hint(shell.Payctl("transfer auto --contact CONTACT --route", offers[0].RouteKey, "--amount", "AMOUNT", "--reference", "TEXT"))
	}
	return nil
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
