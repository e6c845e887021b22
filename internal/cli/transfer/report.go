package transfer

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/period"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/report"
	"github.com/payctl/payctl/internal/ui"
)

type reportOptions struct {
	period.Interval
	filters
	by      []report.Grouping
	against string
	mapping cmdutil.Mapping
	given   func(flag string) bool
}

// adviceForReports is what to do about columns that a terminal has no room for.
const adviceForReports = "use a wider terminal or -o csv"

func newReport(d *cmdutil.Deps) *cobra.Command {
	o := &reportOptions{}
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Add up transfers, or compare them with a file of expected payments",
		Long: `Add up all transfers that the flags select, in exact decimals, or compare them with a file.

A row has one currency: a transfer from USDC to EUR counts in a row of each. With --against, each
payment of a file (CSV or NDJSON with a reference) is matching, missing, different, duplicate or
not_compared, and a transfer that the file does not have is extra; other findings than matching
end with the exit code 15. A report of payctl transfer batch is such a file.`,
		Example: `  payctl transfer report --created-after today
  payctl transfer report --by day,currency --created-after 7d -o csv > week.csv
  payctl transfer report --against invoices.csv --map reference=invoice --created-after today`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runReport(cmd.Context(), d, o) },
	}
	o.given = func(flag string) bool { return cmd.Flags().Changed(flag) }
	o.Interval.AddTo(cmd)
	o.filters.selection(cmd)
	cmdutil.AddValues(cmd, &o.by, "by", "separate totals by these `GROUPS`: "+groupings()+" (default state)")
	f := cmd.Flags()
	f.StringVar(&o.against, "against", "", "compare with the expected payments in this `FILE`; - is standard input")
	o.mapping.AddTo(cmd, "currency=EUR")
	o.mapping.AddAmountsTo(cmd)
	cmd.MarkFlagsMutuallyExclusive("by", "against")
	return cmd
}

func groupings() string {
	all := report.Groupings()
	names := make([]string, len(all))
	for i, by := range all {
		names[i] = string(by)
	}
	return strings.Join(names, ", ")
}

func runReport(ctx context.Context, d *cmdutil.Deps, o *reportOptions) error {
	if o.against != "" {
		return runAgainst(ctx, d, o)
	}
	if fileFlags := []string{"map", "set", "decimal-comma", "thousands"}; slices.ContainsFunc(fileFlags, o.given) {
		return cmdutil.Usage("--map, --set, --decimal-comma and --thousands are about the file of --against: give --against too")
	}
	if len(o.by) == 0 {
		o.by = []report.Grouping{report.ByState}
	}
	if wrong := slices.IndexFunc(o.by, func(by report.Grouping) bool { return !slices.Contains(report.Groupings(), by) }); wrong >= 0 {
		return cmdutil.Usage("--by has no group %q; the groups are %s", o.by[wrong], groupings())
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	totals := report.NewTotals(o.by, time.Local)
	if err := o.each(ctx, d, &o.Interval, func(t payments.Transfer) error { return totals.Add(&t) }); err != nil {
		if errors.Is(err, report.ErrTooManyRows) {
			return cmdutil.Usage("%v; give --by fewer groups, or select fewer transfers", err)
		}
		return err
	}
	return printTotals(d, printer, totals)
}

// printTotals prints a row for each group, and in a table a total for each currency.
func printTotals(d *cmdutil.Deps, printer *ui.Printer, totals *report.Totals) error {
	columns := totalColumns(totals, printer.Format())
	rows := totals.Rows()
	page := cmdutil.Rows{}
	add := func(row *report.Row, isTotal bool) {
		cells := make([]ui.Cell, len(columns))
		for i, c := range columns {
			if cells[i] = c.cell(row); isTotal {
				cells[i].Tone = ui.Bold
			}
		}
		for i, by := range totals.By() {
			if isTotal && by != report.ByCurrency {
				cells[i] = ui.Cell{}
			}
		}
		if isTotal {
			cells[0] = ui.Toned(ui.Bold, "total")
		}
		page.Add(row, cells)
	}
	for _, row := range rows {
		add(row, false)
	}
	if printer.Format() == ui.FormatTable && len(totals.By()) > 1 {
		for _, row := range totals.All() {
			add(row, true)
		}
	}
	stream := printer.Stream(headersOf(columns))
	stream.Empty, stream.Advice = "No transfers.", adviceForReports
	if err := errors.Join(stream.WritePage(page.Values, page.Cells), stream.Close()); err != nil {
		return err
	}
	if totals.Transfers() > 0 {
		d.Notef("%s.", cmdutil.Count(totals.Transfers(), "transfer(s)"))
	}
	return nil
}

// A totalColumn shows a part of the totals.
type totalColumn struct {
	ui.Column
	cell func(*report.Row) ui.Cell
}

func headersOf(columns []totalColumn) (all []ui.Column) {
	for _, c := range columns {
		all = append(all, c.Column)
	}
	return all
}

// groupColumns are the columns of groups.
var groupColumns = map[report.Grouping]ui.Column{
	report.ByState:    {Header: "State", Keep: true},
	report.ByCurrency: {Header: "Currency", Keep: true},
	report.ByRoute:    {Header: "Route", Keep: true},
	report.ByDay:      {Header: "Day", Keep: true},
	report.ByBatch:    {Header: "Batch", Name: "batchId", Keep: true},
}

// totalColumns are the groups and the sums. A table has fewer columns than CSV: what is not known is in words, and only
// if there is something.
func totalColumns(totals *report.Totals, format ui.Format) []totalColumn {
	var columns []totalColumn
	for _, by := range totals.By() {
		columns = append(columns, totalColumn{groupColumns[by], func(r *report.Row) ui.Cell {
			if by == report.ByState {
				return cmdutil.TransferState(payments.TransferState(r.Group(by)))
			}
			return ui.Optional(r.Group(by))
		}})
	}
	count := func(header, name string, number func(*report.Row) int) totalColumn {
		return totalColumn{ui.Column{Header: header, Name: name, Right: true}, func(r *report.Row) ui.Cell {
			return ui.Text(strconv.Itoa(number(r)))
		}}
	}
	sum := func(header, name string, number func(*report.Row) (payments.Decimal, bool)) totalColumn {
		return totalColumn{ui.Column{Header: header, Name: name, Right: true}, func(r *report.Row) ui.Cell {
			if amount, is := number(r); is || format != ui.FormatTable {
				return ui.Text(amount.String())
			}
			return ui.Optional("")
		}}
	}
	transfers := count("Transfers", "transfers", func(r *report.Row) int { return r.Transfers })
	source := sum("Sends", "sourceAmount", func(r *report.Row) (payments.Decimal, bool) { return r.SourceAmount, r.SourceTransfers > 0 })
	destination := sum("Delivers", "destinationAmount",
		func(r *report.Row) (payments.Decimal, bool) { return r.DestinationAmount, r.DestinationTransfers > 0 })
	fees := sum("Fees", "fees", func(r *report.Row) (payments.Decimal, bool) { return r.Fees, !r.Fees.Zero() })
	if format != ui.FormatTable {
		return append(columns, transfers,
			count("", "sourceTransfers", func(r *report.Row) int { return r.SourceTransfers }), source,
			count("", "sourceUnknown", func(r *report.Row) int { return r.SourceUnknown }),
			count("", "destinationTransfers", func(r *report.Row) int { return r.DestinationTransfers }), destination,
			count("", "destinationUnknown", func(r *report.Row) int { return r.DestinationUnknown }), fees,
			count("", "feesUnknown", func(r *report.Row) int { return r.FeesUnknown }))
	}
	columns = append(columns, transfers, source, destination, fees)
	if slices.ContainsFunc(totals.All(), func(r *report.Row) bool { return unknown(r) != "" }) {
		columns = append(columns, totalColumn{ui.Column{Header: "Not known", Keep: true}, func(r *report.Row) ui.Cell {
			return ui.Optional(unknown(r))
		}})
	}
	return columns
}

// unknown describes the amounts of a row that are not known.
func unknown(r *report.Row) string {
	var parts []string
	for _, part := range []struct {
		count int
		what  string
	}{{r.SourceUnknown, "sent"}, {r.DestinationUnknown, "delivered"}, {r.FeesUnknown, "fee(s)"}} {
		if part.count > 0 {
			parts = append(parts, cmdutil.Count(part.count, part.what))
		}
	}
	return strings.Join(parts, ", ")
}
