package transfer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/display"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// groupings are the values of --by, in the order of their columns. Totals are always separated by currency, as amounts of
// different currencies cannot be added.
var groupings = []string{"day", "batch", "route", "state", "currency"}

// A group is what the transfers of a total have in common. Members by which the totals are not separated are empty.
type group struct {
	Day      string                 `json:"day,omitzero"`
	BatchID  string                 `json:"batchId,omitzero"`
	Route    string                 `json:"route,omitzero"`
	State    payments.TransferState `json:"state,omitzero"`
	Currency string                 `json:"currency"`
}

// A total is the sum of the transfers of one group. A transfer from USDC to EUR counts in two: it sends in the one of USDC
// and delivers in that of EUR.
type total struct {
	group
	Transfers         int              `json:"transfers"` // that send, deliver or cost this currency
	SourceAmount      payments.Decimal `json:"sourceAmount"`
	DestinationAmount payments.Decimal `json:"destinationAmount"`
	Fees              payments.Decimal `json:"fees"`
	Unknown           int              `json:"unknown"` // amounts and fees that are not known yet, and not added
}

// totalsTable begins with the groupings.
var totalsTable = resource.Table[*total]{
	{Column: ui.Column{Header: "Day", Keep: true}},
	{Column: ui.Column{Header: "Batch", Name: "batchId", Keep: true}},
	{Column: ui.Column{Header: "Route", Keep: true}},
	{Column: ui.Column{Header: "State", Keep: true}},
	{Column: ui.Column{Header: "Currency", Keep: true}},
	{Column: ui.Column{Header: "Transfers", Right: true}},
	{Column: ui.Column{Header: "Sends", Name: "sourceAmount", Right: true}},
	{Column: ui.Column{Header: "Delivers", Name: "destinationAmount", Right: true}},
	{Column: ui.Column{Header: "Fees", Right: true}},
	{Column: ui.Column{Header: "Not known", Name: "unknown", Right: true}},
}

// printTotals adds up the selected transfers, and prints a row for each group. A note says in which states they are.
func printTotals(ctx context.Context, d *invocation.Deps, o *reportOptions) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	by := append(slices.Clone(o.by), "currency")
	totals, states := map[group]*total{}, map[payments.TransferState]int{}
	if err := o.each(ctx, d, &o.Interval, func(t payments.Transfer) error {
		states[t.State]++
		addTransfer(totals, by, &t)
		return nil
	}); err != nil {
		return err
	}
	table := slices.Clone(totalsTable)
	for i, grouping := range slices.Backward(groupings) {
		if !slices.Contains(by, grouping) {
			table = slices.Delete(table, i, i+1)
		}
	}
	rows := slices.SortedFunc(maps.Values(totals), func(a, b *total) int {
		return strings.Compare(fmt.Sprint(a.group), fmt.Sprint(b.group))
	})
	if err := table.Print(printer, rows, "No transfers."); err != nil || len(rows) == 0 {
		return err
	}
	count, parts := 0, []string(nil)
	for _, state := range slices.Sorted(maps.Keys(states)) {
		count += states[state]
		parts = append(parts, fmt.Sprintf("%d %s", states[state], state))
	}
	d.Notef("The totals have %s: %s.", display.Count(count, "transfer(s)"), strings.Join(parts, ", "))
	return nil
}

// addTransfer adds a transfer to the total of each currency in its group.
func addTransfer(totals map[group]*total, by []string, t *payments.Transfer) {
	counted := map[*total]bool{}
	add := func(currency string, amount *payments.Decimal, to func(*total) *payments.Decimal) {
		row := groupOf(t, by, currency)
		if totals[row] == nil {
			decimals, _ := payments.CurrencyDecimals(currency)
			nothing := payments.Decimal{}.Written(decimals)
			totals[row] = &total{group: row, SourceAmount: nothing, DestinationAmount: nothing, Fees: nothing}
		}
		sum := totals[row]
		if !counted[sum] {
			counted[sum] = true
			sum.Transfers++
		}
		if amount == nil {
			sum.Unknown++
			return
		}
		*to(sum) = to(sum).Add(*amount)
	}
	add(t.Source.Currency, t.Source.Amount, func(sum *total) *payments.Decimal { return &sum.SourceAmount })
	add(t.Destination.Currency, t.Destination.Amount, func(sum *total) *payments.Decimal { return &sum.DestinationAmount })
	for _, fee := range t.Fees {
		add(fee.Currency, fee.Amount, func(sum *total) *payments.Decimal { return &sum.Fees })
	}
}

// groupOf is the group of a transfer in a currency.
func groupOf(t *payments.Transfer, by []string, currency string) group {
	g := group{Currency: currency}
	for _, grouping := range by {
		switch grouping {
		case "day":
			g.Day = t.CreatedAt.In(time.Local).Format(time.DateOnly)
		case "batch":
			g.BatchID = t.BatchID
		case "route":
			g.Route = t.Route
		case "state":
			g.State = t.State
		}
	}
	return g
}
