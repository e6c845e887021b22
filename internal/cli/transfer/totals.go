package transfer

import (
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/display"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/cli/resource"
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
		t.sums[currency].group[0] = "total"
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
func (t *totals) print(d *invocation.Deps, printer *ui.Printer) error {
	rows := inOrder(t.rows)
	if printer.Format() == ui.FormatTable && len(t.by) > 1 {
		rows = append(rows, inOrder(t.sums)...)
	}
	if err := t.table(printer.Format()).Print(printer, rows, "No transfers."); err != nil {
		return err
	}
	if t.transfers > 0 {
		d.Notef("%s.", display.Count(t.transfers, "transfer(s)"))
	}
	return nil
}

// table has the groups and the sums. For people, what is not known is in words.
func (t *totals) table(format ui.Format) (table resource.Table[*total]) {
	for i, by := range t.by {
		column := ui.Column{Header: strings.ToUpper(by[:1]) + by[1:], Keep: true}
		if by == byBatch {
			column.Name = "batchId"
		}
		table = append(table, resource.Member[*total]{Column: column, Cell: func(r *total) ui.Cell {
			if by == byState && r.State != nil {
				return display.TransferState(payments.TransferState(r.group[i]))
			}
			return ui.Optional(r.group[i])
		}})
	}
	number := func(header, name string) {
		table = append(table, resource.Member[*total]{Column: ui.Column{Header: header, Name: name, Right: true}})
	}
	if format != ui.FormatTable {
		for _, name := range []string{
			"transfers", "sourceTransfers", "sourceAmount", "sourceUnknown", "destinationTransfers", "destinationAmount",
			"destinationUnknown", "fees", "feesUnknown",
		} {
			number("", name)
		}
		return table
	}
	number("Transfers", "transfers")
	number("Sends", "sourceAmount")
	number("Delivers", "destinationAmount")
	number("Fees", "fees")
	hasUnknown := func(r *total) bool { return r.SourceUnknown+r.DestinationUnknown+r.FeesUnknown > 0 }
	if !slices.ContainsFunc(inOrder(t.sums), hasUnknown) {
		return table
	}
	return append(table, resource.Member[*total]{Column: ui.Column{Header: "Not known", Keep: true}, Cell: func(r *total) ui.Cell {
		var parts []string
		for i, what := range []string{"sent", "delivered", "fee(s)"} {
			if n := [...]int{r.SourceUnknown, r.DestinationUnknown, r.FeesUnknown}[i]; n > 0 {
				parts = append(parts, display.Count(n, what))
			}
		}
		return ui.Optional(strings.Join(parts, ", "))
	}})
}
