package transfer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

type reportOptions struct {
	cmdutil.Interval
	filters
	by      []string
	against string
	mapping cmdutil.Mapping
	given   func(flag string) bool
}

func newReport(d *cmdutil.Deps) *cobra.Command {
	o := &reportOptions{}
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Add up transfers, or compare them with a file of expected payments",
		Long: `Add up all transfers that the flags select, in exact decimals, or compare them with a file.

Totals have the transfers of every state, also failed ones, unless --state selects some. A row has
one currency: a transfer from USDC to EUR counts in a row of each. With --against, each payment of a
file (CSV or NDJSON with a reference) is matching, missing, different, duplicate or not_compared,
and a transfer that the file does not have is extra; other findings than matching end with the exit
code 15. A report of payctl transfer batch is such a file.`,
		Example: `  payctl transfer report --created-after today
  payctl transfer report --by day,currency --created-after 7d -o csv > week.csv
  payctl transfer report --against invoices.csv --map reference=invoice --created-after today`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runReport(cmd.Context(), d, o) },
	}
	o.given = func(flag string) bool { return cmd.Flags().Changed(flag) }
	o.Interval.AddTo(cmd)
	o.filters.addTo(cmd)
	cmdutil.AddValues(cmd, &o.by, "by", "separate totals by these `GROUPS`: "+strings.Join(groupings, ", ")+" (default state)")
	f := cmd.Flags()
	f.StringVar(&o.against, "against", "", "compare with the expected payments in this `FILE`; - is standard input")
	o.mapping.AddTo(cmd, "currency=EUR")
	o.mapping.AddAmountsTo(cmd)
	cmd.MarkFlagsMutuallyExclusive("by", "against")
	return cmd
}

func runReport(ctx context.Context, d *cmdutil.Deps, o *reportOptions) error {
	if o.against != "" {
		return runAgainst(ctx, d, o)
	}
	if fileFlags := []string{"map", "set", "decimal-comma", "thousands"}; slices.ContainsFunc(fileFlags, o.given) {
		return cmdutil.Usage("--map, --set, --decimal-comma and --thousands are about the file of --against: give --against too")
	}
	if len(o.by) == 0 {
		o.by = []string{"state"}
	}
	for _, group := range o.by {
		if !slices.Contains(groupings, group) {
			return cmdutil.Usage("--by has no group %q; the groups are %s", group, strings.Join(groupings, ", "))
		}
	}
	return printTotals(ctx, d, o)
}

// groupings are the values of --by, in the order of their columns. Totals are always separated by currency, as amounts
// of different currencies cannot be added.
var groupings = []string{"day", "batch", "route", "state", "currency"}

// A group is what the transfers of a total have in common. Members by which the totals are not separated are empty.
type group struct {
	Day      string                 `json:"day,omitzero"`
	BatchID  string                 `json:"batchId,omitzero"`
	Route    string                 `json:"route,omitzero"`
	State    payments.TransferState `json:"state,omitzero"`
	Currency string                 `json:"currency"`
}

// A total is the sum of the transfers of one group. A transfer from USDC to EUR counts in two: it sends in the one of
// USDC and delivers in that of EUR.
type total struct {
	group
	Transfers         int           `json:"transfers"` // that send, deliver or cost this currency
	SourceAmount      money.Decimal `json:"sourceAmount"`
	DestinationAmount money.Decimal `json:"destinationAmount"`
	Fees              money.Decimal `json:"fees"`
	Unknown           int           `json:"unknown"` // amounts and fees that are not known yet, and not added
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
func printTotals(ctx context.Context, d *cmdutil.Deps, o *reportOptions) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	by := append(slices.Clone(o.by), "currency")
	totals, states := map[group]*total{}, map[payments.TransferState]int{}
	end, err := o.each(ctx, d, &o.Interval, func(t payments.Transfer) error {
		states[t.State]++
		addTransfer(totals, by, &t)
		return nil
	})
	if err != nil {
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
	others := ""
	if end == payments.ListMayGoOn {
		others = " There may be others: the service does not say that its list ends."
	}
	d.Notef("The totals have %s: %s.%s", cmdutil.Count(count, "transfer(s)"), strings.Join(parts, ", "), others)
	return nil
}

// addTransfer adds a transfer to the total of each currency in its group.
func addTransfer(totals map[group]*total, by []string, t *payments.Transfer) {
	counted := map[*total]bool{}
	add := func(currency string, amount *money.Decimal, to func(*total) *money.Decimal) {
		row := groupOf(t, by, currency)
		if totals[row] == nil {
			decimals, _ := money.CurrencyDecimals(currency)
			nothing := money.Decimal{}.Written(decimals)
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
	add(t.Source.Currency, t.Source.Amount, func(sum *total) *money.Decimal { return &sum.SourceAmount })
	add(t.Destination.Currency, t.Destination.Amount, func(sum *total) *money.Decimal { return &sum.DestinationAmount })
	for _, fee := range t.Fees {
		add(fee.Currency, fee.Amount, func(sum *total) *money.Decimal { return &sum.Fees })
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
