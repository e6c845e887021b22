// Package routes holds the commands of payctl routes.
package routes

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command payctl routes.
func New(d *cmdutil.Deps) *cobra.Command {
	return cmdutil.Group("routes", "Find routes from a source to a destination", newSelect(d), newList(d))
}

// An offer is a route with its terms, as one JSON object; TransactionInfo is nil if the service sent no terms.
type offer struct {
	RouteKey string `json:"routeKey"` // both embedded structs have one, so that JSON would have neither
	payments.TransferRoute
	*payments.TransactionInfo
}

// offers joins routes with their terms.
func offers(info payments.TransferInfo) []offer {
	terms := map[string]*payments.TransactionInfo{}
	for i, t := range info.TransactionsInfo {
		terms[t.RouteKey] = &info.TransactionsInfo[i]
	}
	all := make([]offer, 0, len(info.Routes))
	for _, r := range info.Routes {
		all = append(all, offer{r.RouteKey, r, terms[r.RouteKey]})
	}
	return all
}

// columns are those of a list of routes.
var columns = []cmdutil.Column[offer]{
	{
		Column: ui.Column{Header: "Route", Name: "routeKey"}, About: "key of the route, for --route",
		Cell: func(o offer) ui.Cell { return ui.Text(o.RouteKey) },
	}, {
		Column: ui.Column{Header: "Flow", Name: "flowType", Rank: 1}, About: "kind of the route",
		Cell: func(o offer) ui.Cell { return ui.Text(string(o.FlowType)) },
	}, {
		Column: ui.Column{Header: "Provider"}, About: "its provider",
		Cell: func(o offer) ui.Cell { return ui.Text(o.Provider) },
	}, {
		Column: ui.Column{Header: "Rate", Name: "exchangeRate", Right: true, Rank: 2}, About: "destination units for one source unit",
		Cell: terms(func(t payments.TransactionInfo) ui.Cell { return cmdutil.Rate(t.ExchangeRate) }),
	}, {
		Column: ui.Column{Header: "Fees", Keep: true}, About: "fees, fixed and as a share of the amount",
		Cell: terms(func(t payments.TransactionInfo) ui.Cell {
			return ui.Cell{Text: feeWords(t.Fees, payments.Decimal.String), Short: feeWords(t.Fees, cmdutil.Rounded)}
		}),
	}, {
		Column: ui.Column{Header: "Min", Name: "minAmount", Right: true}, About: "smallest amount",
		Cell: terms(func(t payments.TransactionInfo) ui.Cell { return ui.Text(t.MinAmount.String()) }),
	}, {
		Column: ui.Column{Header: "Max", Name: "maxAmount", Right: true}, About: "largest amount",
		Cell: terms(func(t payments.TransactionInfo) ui.Cell { return ui.Text(t.MaxAmount.String()) }),
	}, {
		Column: ui.Column{Header: "Takes", Keep: true}, About: "estimated time until the money arrives", In: cmdutil.InTable,
		SortBy: "estimatedSettlementSeconds",
		Cell:   terms(func(t payments.TransactionInfo) ui.Cell { return ui.Text(duration(t.EstimatedSettlementSeconds)) }),
	}, {
		Column: ui.Column{Header: "Seconds", Name: "estimatedSettlementSeconds", Right: true}, About: "the same in seconds", In: cmdutil.InCSV,
		Cell: terms(func(t payments.TransactionInfo) ui.Cell { return ui.Text(strconv.Itoa(t.EstimatedSettlementSeconds)) }),
	},
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
			parts = append(parts, cmdutil.Count(n, unit.name))
			seconds %= unit.seconds
		}
	}
	if len(parts) == 0 {
		return cmdutil.Count(0, "s")
	}
	return strings.Join(parts, " ")
}
