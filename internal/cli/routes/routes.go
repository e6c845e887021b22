// Package routes holds the commands of payctl routes.
package routes

import (
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
	payments.Route
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

var columns = []ui.Column{
	{Header: "Route", Name: "routeKey"}, {Header: "Flow", Name: "flowType"}, {Header: "Provider"},
	{Header: "Rate", Name: "exchangeRate", Right: true}, {Header: "Fees"},
	{Header: "Min", Name: "minAmount", Right: true}, {Header: "Max", Name: "maxAmount", Right: true},
	{Header: "Takes", Name: "estimatedSettlement"},
}

func (o offer) row() []ui.Cell {
	cells := []ui.Cell{ui.Text(o.RouteKey), ui.Text(string(o.FlowType)), ui.Text(o.Provider)}
	if o.TransactionInfo == nil {
		none := ui.Optional("")
		return append(cells, none, none, none, none, none)
	}
	return append(cells, ui.Text(o.ExchangeRate.String()), ui.Text(feeWords(o.Fees)), ui.Text(o.MinAmount.String()),
		ui.Text(o.MaxAmount.String()), ui.Text(duration(o.EstimatedSettlementSeconds)))
}

// feeWords formats fees, such as "0.50 USD + 0.25 %".
func feeWords(fees []payments.Fee) string {
	var parts []string
	for _, fee := range fees {
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
