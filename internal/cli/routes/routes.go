// Package routes is `payctl routes`.
package routes

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/suggest"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command payctl routes.
func New(d *cmdutil.Deps) *cobra.Command {
	return cmdutil.Group("routes", "Find routes from a source to a destination", newList(d))
}

// An offer is a route with its terms, as one JSON object; TransactionInfo is nil if the service sent no terms.
type offer struct {
	RouteKey string `json:"routeKey"` // both embedded structs have one, so that JSON would have neither
	payments.TransferRoute
	*payments.TransactionInfo
}

// columns are those of a list of routes.
var columns = resource.Table[offer]{
	{Column: ui.Column{Header: "Route", Name: "routeKey"}, About: "key of the route, for --route"},
	{Column: ui.Column{Header: "Flow", Name: "flowType", Rank: 1}, About: "kind of the route"},
	{Column: ui.Column{Header: "Provider"}, About: "its provider"},
	{
		Column: ui.Column{Header: "Rate", Name: "exchangeRate", Right: true, Rank: 2}, About: "destination units for one source unit",
		Cell: terms(func(t payments.TransactionInfo) ui.Cell { return cmdutil.Rate(t.ExchangeRate) }),
	}, {
		Column: ui.Column{Header: "Fees", Keep: true}, About: "fees, fixed and as a share of the amount",
		Cell: terms(func(t payments.TransactionInfo) ui.Cell {
			return ui.Cell{Text: feeWords(t.Fees, payments.Decimal.String), Short: feeWords(t.Fees, cmdutil.Rounded)}
		}),
	},
	{Column: ui.Column{Header: "Min", Name: "minAmount", Right: true}, About: "smallest amount"},
	{Column: ui.Column{Header: "Max", Name: "maxAmount", Right: true}, About: "largest amount"},
	{
		Column: ui.Column{Header: "Takes", Keep: true}, About: "estimated time until the money arrives", In: resource.InTable,
		SortBy: "estimatedSettlementSeconds",
		Cell:   terms(func(t payments.TransactionInfo) ui.Cell { return ui.Text(duration(t.EstimatedSettlementSeconds)) }),
	},
	{Column: ui.Column{Header: "Seconds", Name: "estimatedSettlementSeconds", Right: true}, About: "the same in seconds", In: resource.InCSV},
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

func newList(d *cmdutil.Deps) *cobra.Command {
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
		Args: cmdutil.Args(),
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
	parsed, err := payments.ParseEndpoint(text)
	if err != nil {
		return nil, cmdutil.Usage("--%s %v", flag, err)
	}
	return parsed, nil
}

func list(ctx context.Context, d *cmdutil.Deps, chosen resource.Columns, selection payments.RouteSelection) error {
	view, err := columns.View(ctx, d, chosen)
	if err != nil || view == nil {
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
		noteAlternatives(d, "source", "leads to", selection.SelectedSource, info.AvailableSources, info.AvailableDestinations)
		noteAlternatives(d, "destination", "is reached from", selection.SelectedDestination, info.AvailableDestinations, info.AvailableSources)
	case 1:
		d.Hint(shell.Hint("Next: payctl transfer auto --contact CONTACT --route ROUTE --amount AMOUNT --reference TEXT",
			shell.Values{"ROUTE": offers[0].RouteKey}))
	}
	return nil
}

// noteAlternatives prints what a side that was chosen can be combined with; if that is nothing, what the side can be.
func noteAlternatives(
	d *cmdutil.Deps, side, relates string, chosen *payments.RouteEndpoint, like, others []payments.AvailableEndpoint,
) {
	if chosen == nil {
		return
	}
	rail, currency := cmdutil.Text(chosen.PaymentRail), cmdutil.Text(chosen.Currency)
	text := rail
	if currency != "" {
		text += ":" + currency
	}
	var names, known []string
	for _, e := range others {
		names = append(names, e.PaymentRail+":"+e.Currency)
	}
	isCurrency := false
	for _, e := range like {
		known = append(known, e.PaymentRail, ":"+e.Currency, e.PaymentRail+":"+e.Currency)
		isCurrency = isCurrency || strings.EqualFold(e.Currency, rail)
	}
	switch guess := suggest.Guess(text, known); {
	case len(names) > 0:
		d.Notef("%s %s %s", text, relates, strings.Join(names, ", "))
	case isCurrency && currency == "":
		d.Notef("%s is a currency, which is written with a colon: --%s :%s", rail, side, strings.ToUpper(rail))
	case guess != "" && guess != text:
		d.Notef("there is no %s %s; try %s instead, or see all with payctl routes list", side, text, guess)
	default:
		d.Notef("there is no %s %s; payctl routes list has all", side, text)
	}
}

// feeWords formats fees, such as "0.50 USD + 0.25 %".
func feeWords(fees []payments.Fee, amount func(payments.Decimal) string) string {
	var parts []string
	for _, fee := range fees {
		switch {
		case fee.Rate != nil:
			parts = append(parts, cmdutil.Percent(*fee.Rate))
		case fee.Amount != nil:
			parts = append(parts, amount(*fee.Amount)+" "+fee.Currency)
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, " + ")
}

// duration formats seconds in their two largest units: "20 s", "15 min", "1 d 2 h".
func duration(seconds int) string {
	var parts []string
	for _, unit := range []struct {
		name    string
		seconds int
	}{{"d", 24 * 60 * 60}, {"h", 60 * 60}, {"min", 60}, {"s", 1}} {
		if n := seconds / unit.seconds; n > 0 && len(parts) < 2 {
			parts = append(parts, strconv.Itoa(n)+" "+unit.name)
			seconds %= unit.seconds
		}
	}
	if len(parts) == 0 {
		return "0 s"
	}
	return strings.Join(parts, " ")
}
