// Package report adds up transfers, and compares transfers with a list of expected payments. It sends nothing: its
// callers give it the transfers one by one, so that its memory depends on the results and not on the number of
// transfers.
package report

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// A Grouping is a property of transfers by which totals can be separated.
type Grouping string

// The groupings. Totals are always separated by currency, as amounts of different currencies cannot be added;
// ByCurrency states where in the order of the groupings the currency is.
const (
	ByState    Grouping = "state"
	ByCurrency Grouping = "currency"
	ByRoute    Grouping = "route"
	ByDay      Grouping = "day"
	ByBatch    Grouping = "batch"
)

// Groupings are all groupings.
func Groupings() []Grouping { return []Grouping{ByState, ByCurrency, ByRoute, ByDay, ByBatch} }

// maxRows bounds the rows of totals by their memory, about 50 MB. No person reads more, and a program can read the
// transfers themselves.
const maxRows = 100_000

// ErrTooManyRows is the error of totals with more rows than that.
var ErrTooManyRows = errors.New("the report would have more than 100,000 rows")

// A Row is the sum of the transfers of one group in one currency. A transfer from USDC to EUR counts in two rows: it
// sends in the row of USDC and delivers in that of EUR. An amount that is not known yet, of a transfer that takes
// whatever arrives, is counted and not added.
type Row struct {
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
}

// Group returns what the transfers of the row have in common by a grouping; empty for a transfer without a batch.
func (r *Row) Group(by Grouping) string {
	if by == ByCurrency {
		return r.Currency
	}
	if member := r.group(by); *member != nil {
		return **member
	}
	return ""
}

// group is the member of a grouping other than ByCurrency.
func (r *Row) group(by Grouping) **string {
	switch by {
	case ByState:
		return &r.State
	case ByRoute:
		return &r.Route
	case ByDay:
		return &r.Day
	default:
		return &r.BatchID
	}
}

// A group identifies a row: the values of the groupings in their order.
type group [5]string

// Totals adds up transfers.
type Totals struct {
	by        []Grouping
	zone      *time.Location
	rows      map[group]*Row
	transfers int
}

// NewTotals returns totals without transfers. Days are those of the zone. A grouping that occurs twice counts once, and
// ByCurrency is added at the end if it is not there.
func NewTotals(by []Grouping, zone *time.Location) *Totals {
	t := &Totals{zone: zone, rows: map[group]*Row{}}
	for _, grouping := range append(slices.Clone(by), ByCurrency) {
		if !slices.Contains(t.by, grouping) {
			t.by = append(t.by, grouping)
		}
	}
	return t
}

// By are the groupings in their order, with ByCurrency.
func (t *Totals) By() []Grouping { return t.by }

// Transfers is how many transfers were added.
func (t *Totals) Transfers() int { return t.transfers }

// Add adds a transfer. The error is ErrTooManyRows.
func (t *Totals) Add(transfer *payments.Transfer) error {
	t.transfers++
	at := t.group(transfer)
	currencies := make([]string, 0, 4)
	row := func(currency string) (*Row, error) {
		r, err := t.row(at, currency)
		if err == nil && !slices.Contains(currencies, currency) {
			currencies = append(currencies, currency)
			r.Transfers++
		}
		return r, err
	}
	source, err := row(transfer.Source.Currency)
	if err != nil {
		return err
	}
	source.SourceTransfers++
	add(&source.SourceAmount, &source.SourceUnknown, transfer.Source.Amount)
	destination, err := row(transfer.Destination.Currency)
	if err != nil {
		return err
	}
	destination.DestinationTransfers++
	add(&destination.DestinationAmount, &destination.DestinationUnknown, transfer.Destination.Amount)
	for _, fee := range transfer.Fees {
		charged, err := row(fee.Currency)
		if err != nil {
			return err
		}
		add(&charged.Fees, &charged.FeesUnknown, fee.Amount)
	}
	return nil
}

func add(sum *payments.Decimal, unknown *int, amount *payments.Decimal) {
	if amount == nil {
		*unknown++
		return
	}
	*sum = sum.Add(*amount)
}

// group is the group of a transfer, without its currency.
func (t *Totals) group(transfer *payments.Transfer) (at group) {
	for i, by := range t.by {
		switch by {
		case ByState:
			at[i] = string(transfer.State)
		case ByRoute:
			at[i] = transfer.Route
		case ByDay:
			at[i] = transfer.CreatedAt.In(t.zone).Format(time.DateOnly)
		case ByBatch:
			at[i] = transfer.BatchID
		}
	}
	return at
}

// row is the row of a group and a currency.
func (t *Totals) row(at group, currency string) (*Row, error) {
	at[slices.Index(t.by, ByCurrency)] = currency
	if row := t.rows[at]; row != nil {
		return row, nil
	}
	if len(t.rows) == maxRows {
		return nil, ErrTooManyRows
	}
	row := &Row{Currency: currency}
	for i, by := range t.by {
		if by != ByCurrency {
			*row.group(by) = &at[i]
		}
	}
	t.rows[at] = row
	return row, nil
}

// Rows are the totals in the order of their groups.
func (t *Totals) Rows() []*Row {
	rows := make([]*Row, 0, len(t.rows))
	for _, row := range t.rows {
		decimals, _ := payments.CurrencyDecimals(row.Currency)
		for _, sum := range []*payments.Decimal{&row.SourceAmount, &row.DestinationAmount, &row.Fees} {
			if sum.Zero() { // of which no transfer has shown the decimals
				*sum = payments.Decimal{}.Written(decimals)
			}
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b *Row) int {
		for _, by := range t.by {
			if order := cmp.Compare(a.Group(by), b.Group(by)); order != 0 {
				return order
			}
		}
		return 0
	})
	return rows
}

// All are the totals of all groups, a row for each currency.
func (t *Totals) All() []*Row {
	all := NewTotals(nil, t.zone)
	for _, row := range t.rows {
		sum, _ := all.row(group{}, row.Currency) // there are at most as many as rows
		sum.Transfers += row.Transfers
		sum.SourceTransfers += row.SourceTransfers
		sum.SourceAmount = sum.SourceAmount.Add(row.SourceAmount)
		sum.SourceUnknown += row.SourceUnknown
		sum.DestinationTransfers += row.DestinationTransfers
		sum.DestinationAmount = sum.DestinationAmount.Add(row.DestinationAmount)
		sum.DestinationUnknown += row.DestinationUnknown
		sum.Fees = sum.Fees.Add(row.Fees)
		sum.FeesUnknown += row.FeesUnknown
	}
	return all.Rows()
}
