// Package routes is `payctl routes`.
package routes

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

// New returns the command.
func New(d *deps.Deps) *cobra.Command {
	return deps.Group("routes", "Find the routes that money can take", newSelect(d), newList(d))
}

// An offer is a route with its terms.
type offer struct {
	RouteKey                   string            `json:"routeKey"`
	FlowType                   payments.FlowType `json:"flowType"`
	Provider                   string            `json:"provider"`
	MinAmount                  payments.Decimal  `json:"minAmount"`
	MaxAmount                  payments.Decimal  `json:"maxAmount"`
	Fees                       []payments.Fee    `json:"fees"`
	ExchangeRate               payments.Decimal  `json:"exchangeRate"`
	EstimatedSettlementSeconds int               `json:"estimatedSettlementSeconds"`
	KYCRequired                bool              `json:"kycRequired"`

	known bool // the service told the terms
}

// offers joins routes with their terms.
func offers(info payments.TransferInfo) []offer {
	terms := map[string]payments.TransactionInfo{}
	for _, t := range info.TransactionsInfo {
		terms[t.RouteKey] = t
	}
	all := make([]offer, 0, len(info.Routes))
	for _, r := range info.Routes {
		t, known := terms[r.RouteKey]
		all = append(all, offer{
			RouteKey: r.RouteKey, FlowType: r.FlowType, Provider: r.Provider,
			MinAmount: t.MinAmount, MaxAmount: t.MaxAmount, Fees: t.Fees, ExchangeRate: t.ExchangeRate,
			EstimatedSettlementSeconds: t.EstimatedSettlementSeconds, KYCRequired: t.KYCRequired, known: known,
		})
	}
	return all
}

var columns = []term.Column{
	{Header: "Route", Name: "routeKey"}, {Header: "Flow", Name: "flowType"}, {Header: "Provider"},
	{Header: "Rate", Name: "exchangeRate", Right: true}, {Header: "Fees"},
	{Header: "From", Name: "minAmount", Right: true}, {Header: "To", Name: "maxAmount", Right: true},
	{Header: "Takes", Name: "estimatedSettlement"},
}

func (o offer) row() []term.Cell {
	cells := []term.Cell{term.Text(o.RouteKey), term.Text(string(o.FlowType)), term.Text(o.Provider)}
	if !o.known {
		return append(cells, term.Text("-"), term.Text("-"), term.Text("-"), term.Text("-"), term.Text("-"))
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

// duration is a number of seconds as people say it: "20 s", "15 min", "1 h", "2 d".
func duration(seconds int) string {
	d := time.Duration(seconds) * time.Second
	for _, unit := range []struct {
		name string
		of   time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"min", time.Minute}} {
		if d >= unit.of {
			return deps.Count(int(d.Round(unit.of)/unit.of), unit.name)
		}
	}
	return deps.Count(seconds, "s")
}
