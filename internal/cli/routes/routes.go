// Package routes is `payctl routes`.
package routes

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

// New returns the command.
func New(d *deps.Deps) *cobra.Command {
	return deps.Group("routes", "Find the routes that money can take", newSelect(d), newList(d))
}

// An offer is a route with its terms, member beside member. Where the service told no terms there are none.
type offer struct {
	RouteKey string `json:"routeKey"` // both of the others have one, and would hide each other's
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

var columns = []term.Column{
	{Header: "Route", Name: "routeKey"}, {Header: "Flow", Name: "flowType"}, {Header: "Provider"},
	{Header: "Rate", Name: "exchangeRate", Right: true}, {Header: "Fees"},
	{Header: "Min", Name: "minAmount", Right: true}, {Header: "Max", Name: "maxAmount", Right: true},
	{Header: "Takes", Name: "estimatedSettlement"},
}

func (o offer) row() []term.Cell {
	cells := []term.Cell{term.Text(o.RouteKey), term.Text(string(o.FlowType)), term.Text(o.Provider)}
	if o.TransactionInfo == nil {
		none := term.Optional("")
		return append(cells, none, none, none, none, none)
	}
	return append(cells, term.Text(o.ExchangeRate.String()), term.Text(feeWords(o.Fees)), term.Text(o.MinAmount.String()),
		term.Text(o.MaxAmount.String()), term.Text(duration(o.EstimatedSettlementSeconds)))
}

// feeWords are fees in short: "0.50 USD + 0.25 %".
func feeWords(fees []payments.Fee) string {
	var parts []string
	for _, fee := range fees {
		switch {
		case fee.Rate != nil:
			parts = append(parts, deps.Percent(*fee.Rate))
		case fee.Amount != nil:
			parts = append(parts, fee.Amount.String()+" "+fee.Currency)
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, " + ")
}

// duration is a number of seconds as people say it, in its two greatest units: "20 s", "15 min", "1 d 2 h".
func duration(seconds int) string {
	var parts []string
	for _, unit := range []struct {
		name    string
		seconds int
	}{{"d", 24 * 60 * 60}, {"h", 60 * 60}, {"min", 60}, {"s", 1}} {
		if n := seconds / unit.seconds; n > 0 && len(parts) < 2 {
			parts = append(parts, deps.Count(n, unit.name))
			seconds %= unit.seconds
		}
	}
	if len(parts) == 0 {
		return deps.Count(0, "s")
	}
	return strings.Join(parts, " ")
}
