package transfer

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// The properties of transfers by which totals can be separated. They are always separated by currency, as amounts of
// different currencies cannot be added.
const (
	byState    = "state"
	byCurrency = "currency"
	byRoute    = "route"
	byDay      = "day"
	byBatch    = "batch"
)

var groupings = []string{byState, byCurrency, byRoute, byDay, byBatch}

// A total is the sum of the transfers of one group in one currency. A transfer from USDC to EUR counts in two: it sends in
// the one of USDC and delivers in that of EUR. An amount that is not known yet, of a transfer that takes whatever arrives,
// is counted and not added.
type total struct {
	// The group; members by which the totals are not grouped are nil. The batch of a transfer without one is empty.
	State   *string `json:"state,omitzero"`
	Route   *string `json:"route,omitzero"`
	Day     *string `json:"day,omitzero"`
	BatchID *string `json:"batchId,omitzero"`

	Currency string `json:"currency"`
	// Transfers counts the transfers that send, deliver or cost this currency.
	Transfers            int              `json:"transfers"`
	SourceTransfers      int              `json:"sourceTransfers"` // that send it
	SourceAmount         payments.Decimal `json:"sourceAmount"`
	SourceUnknown        int              `json:"sourceUnknown"` // of SourceTransfers, those whose amount is not known
	DestinationTransfers int              `json:"destinationTransfers"`
	DestinationAmount    payments.Decimal `json:"destinationAmount"`
	DestinationUnknown   int              `json:"destinationUnknown"`
	Fees                 payments.Decimal `json:"fees"`
	FeesUnknown          int              `json:"feesUnknown"` // fees, not transfers: one transfer has several

	group group
}

// A group is what the transfers of a total have in common, in the order of the groupings.
type group [5]string

// Totals add up transfers.
type totals struct {
	by        []string // with the currency
	rows      map[group]*total
	sums      map[string]*total // of all groups, by currency
	transfers int
}

func newTotals(by []string) *totals {
	t := &totals{rows: map[group]*total{}, sums: map[string]*total{}}
	for _, grouping := range append(slices.Clone(by), byCurrency) {
		if !slices.Contains(t.by, grouping) {
			t.by = append(t.by, grouping)
		}
	}
	return t
}

// add adds a transfer.
func (t *totals) add(transfer *payments.Transfer) {
	t.transfers++
	var counted []string // currencies
	each := func(currency string, add func(*total)) {
		for _, row := range []*total{t.row(transfer, currency), t.sum(currency)} {
			if !slices.Contains(counted, currency) {
				row.Transfers++
			}
			add(row)
		}
		counted = append(counted, currency)
	}
	each(transfer.Source.Currency, func(r *total) {
		r.SourceTransfers++
		addAmount(&r.SourceAmount, &r.SourceUnknown, transfer.Source.Amount)
	})
	each(transfer.Destination.Currency, func(r *total) {
		r.DestinationTransfers++
		addAmount(&r.DestinationAmount, &r.DestinationUnknown, transfer.Destination.Amount)
	})
	for _, fee := range transfer.Fees {
		each(fee.Currency, func(r *total) { addAmount(&r.Fees, &r.FeesUnknown, fee.Amount) })
	}
}

func addAmount(sum *payments.Decimal, unknown *int, amount *payments.Decimal) {
	if amount == nil {
		*unknown++
		return
	}
	*sum = sum.Add(*amount)
}

// newTotal is a total of nothing, with the decimals of its currency.
func newTotal(currency string) *total {
	decimals, _ := payments.CurrencyDecimals(currency)
	nothing := payments.Decimal{}.Written(decimals)
	return &total{Currency: currency, SourceAmount: nothing, DestinationAmount: nothing, Fees: nothing}
}

// sum is the total of all groups in a currency.
func (t *totals) sum(currency string) *total {
	if t.sums[currency] == nil {
		t.sums[currency] = newTotal(currency)
		t.sums[currency].group[slices.Index(t.by, byCurrency)] = currency
	}
	return t.sums[currency]
}

// row is the total of a transfer's group in a currency.
func (t *totals) row(transfer *payments.Transfer, currency string) *total {
	row := newTotal(currency)
	for i, by := range t.by {
		text := &row.group[i]
		switch by {
		case byState:
			*text, row.State = string(transfer.State), text
		case byRoute:
			*text, row.Route = transfer.Route, text
		case byDay:
			*text, row.Day = transfer.CreatedAt.In(time.Local).Format(time.DateOnly), text
		case byBatch:
			*text, row.BatchID = transfer.BatchID, text
		default:
			*text = currency
		}
	}
	if known := t.rows[row.group]; known != nil {
		return known
	}
	t.rows[row.group] = row
	return row
}

// inOrder are totals in the order of their groups.
func inOrder[K comparable](all map[K]*total) (rows []*total) {
	for _, row := range all {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b *total) int { return slices.Compare(a.group[:], b.group[:]) })
	return rows
}

// print prints a row for each group, and in a table a total for each currency.
func (t *totals) print(d *cmdutil.Deps, printer *ui.Printer) error {
	columns := t.columns(printer.Format())
	page := cmdutil.Rows{}
	for _, row := range inOrder(t.rows) {
		var cells []ui.Cell
		for _, c := range columns {
			cells = append(cells, c.cell(row))
		}
		page.Add(row, cells)
	}
	if printer.Format() == ui.FormatTable && len(t.by) > 1 {
		for _, row := range inOrder(t.sums) {
			var cells []ui.Cell
			for i, c := range columns {
				cell := c.cell(row)
				if i < len(t.by) {
					cell = ui.Text(row.group[i])
				}
				cell.Tone = ui.Bold
				cells = append(cells, cell)
			}
			cells[0] = ui.Toned(ui.Bold, "total")
			page.Add(row, cells)
		}
	}
	var headers []ui.Column
	for _, c := range columns {
		headers = append(headers, c.Column)
	}
	stream := printer.Stream(headers)
	stream.Empty, stream.Advice = "No transfers.", adviceForReports
	if err := errors.Join(stream.WritePage(page.Values, page.Cells), stream.Close()); err != nil {
		return err
	}
	if t.transfers > 0 {
		d.Notef("%s.", cmdutil.Count(t.transfers, "transfer(s)"))
	}
	return nil
}

// A totalColumn shows a part of the totals.
type totalColumn struct {
	ui.Column
	cell func(*total) ui.Cell
}

// columns are the groups and the sums. A table has fewer columns than CSV: what is not known is in words.
func (t *totals) columns(format ui.Format) (columns []totalColumn) {
	isTable := format == ui.FormatTable
	for i, by := range t.by {
		column := ui.Column{Header: strings.ToUpper(by[:1]) + by[1:], Keep: true}
		if by == byBatch {
			column.Name = "batchId"
		}
		columns = append(columns, totalColumn{column, func(r *total) ui.Cell {
			if by == byState {
				return cmdutil.TransferState(payments.TransferState(r.group[i]))
			}
			return ui.Optional(r.group[i])
		}})
	}
	count := func(header, name string, number func(*total) int) {
		if header != "" || !isTable {
			columns = append(columns, totalColumn{ui.Column{Header: header, Name: name, Right: true}, func(r *total) ui.Cell {
				return ui.Text(strconv.Itoa(number(r)))
			}})
		}
	}
	sum := func(header, name string, number func(*total) (amount payments.Decimal, isShown bool)) {
		columns = append(columns, totalColumn{ui.Column{Header: header, Name: name, Right: true}, func(r *total) ui.Cell {
			if amount, isShown := number(r); isShown || !isTable {
				return ui.Text(amount.String())
			}
			return ui.Optional("")
		}})
	}
	count("Transfers", "transfers", func(r *total) int { return r.Transfers })
	count("", "sourceTransfers", func(r *total) int { return r.SourceTransfers })
	sum("Sends", "sourceAmount", func(r *total) (payments.Decimal, bool) { return r.SourceAmount, r.SourceTransfers > 0 })
	count("", "sourceUnknown", func(r *total) int { return r.SourceUnknown })
	count("", "destinationTransfers", func(r *total) int { return r.DestinationTransfers })
	sum("Delivers", "destinationAmount", func(r *total) (payments.Decimal, bool) {
		return r.DestinationAmount, r.DestinationTransfers > 0
	})
	count("", "destinationUnknown", func(r *total) int { return r.DestinationUnknown })
	sum("Fees", "fees", func(r *total) (payments.Decimal, bool) { return r.Fees, !r.Fees.Zero() })
	count("", "feesUnknown", func(r *total) int { return r.FeesUnknown })
	hasUnknown := func(r *total) bool { return r.SourceUnknown+r.DestinationUnknown+r.FeesUnknown > 0 }
	if isTable && slices.ContainsFunc(inOrder(t.sums), hasUnknown) {
		columns = append(columns, totalColumn{ui.Column{Header: "Not known", Keep: true}, func(r *total) ui.Cell {
			var parts []string
			for i, what := range []string{"sent", "delivered", "fee(s)"} {
				if n := [...]int{r.SourceUnknown, r.DestinationUnknown, r.FeesUnknown}[i]; n > 0 {
					parts = append(parts, cmdutil.Count(n, what))
				}
			}
			return ui.Optional(strings.Join(parts, ", "))
		}})
	}
	return columns
}
