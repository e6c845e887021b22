// Package batch sends a request for every row of a file: transfers, or in an import accounts or contacts.
//
// Check reads a file of transfers, checks every row before anything is sent and plans the transfers; ReadImport reads and
// checks the file of an import. Both give Jobs, and Sender sends these and reports the outcome of each in the order of the
// file. Memory grows with a file of transfers only while it is checked, by what finds a reference that occurs twice.
package batch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

// The members of a row.
const (
	reference = iota
	contact
	route
	amount
	amountType
	members
)

var names = [members]string{"reference", "contact", "route", "amount", "amount_type"}

// contactIDColumn is the column of a report with the identifiers of contacts that the file calls by other names.
const contactIDColumn = "contact_id"

// metadataPrefix begins the names of columns that hold metadata.
const metadataPrefix = "metadata."

// Members are the members of a row, by which a file can be mapped.
func Members() rows.Members {
	return rows.Members{Names: names[:], Prefix: metadataPrefix, Required: names[:route+1]}
}

// A Row is a transfer as it stands in the file.
type Row struct {
	Line       int
	Reference  string // identifies the row on every machine
	Contact    string // the saved contact that receives the money, as written
	ContactID  string // its identifier, if the row has its label or external id
	Route      string // the routeKey
	Amount     string // empty: the transfer takes whatever amount arrives
	AmountType string // the side that the amount counts on, as written
	Metadata   map[string]string

	positions [members]rows.Position
}

// values are the members of the row by their numbers.
func (r *Row) values() [members]*string {
	return [members]*string{
		reference: &r.Reference, contact: &r.Contact, route: &r.Route, amount: &r.Amount, amountType: &r.AmountType,
	}
}

// Side is the side that the amount counts on.
func (r *Row) Side() payments.AmountType {
	return cmp.Or(payments.AmountType(r.AmountType), payments.AmountTypeSource)
}

// request returns the row as it is sent.
func (r *Row) request(batchID string) (payments.NewAutoTransfer, error) {
	t := payments.Transfer{
		DestinationSavedContactID: cmp.Or(r.ContactID, r.Contact), Route: r.Route, Reference: r.Reference, BatchID: batchID,
		Metadata: r.Metadata, AmountType: r.Side(),
	}
	if r.Amount != "" {
		value, err := payments.ParseDecimal(r.Amount)
		if err != nil {
			return payments.NewAutoTransfer{}, r.error(amount, "%v", err)
		}
		t.Amount = &value
	}
	return outbox.RequestOf(t), nil
}

// sum returns the amount as a total; nil if there is none.
func (r *Row) sum(request payments.NewAutoTransfer) *Total {
	key, err := payments.ParseRouteKey(r.Route)
	if request.Amount == nil || err != nil {
		return nil
	}
	total := &Total{Currency: key.SourceCurrency, AmountType: r.Side(), Rows: 1, Amount: *request.Amount}
	if total.AmountType == payments.AmountTypeTarget {
		total.Currency = key.DestinationCurrency
	}
	return total
}

// cells returns the row by the columns of a report. Some rows of a named file have contacts by other names than their
// identifiers.
func (r *Row) cells(named bool) []Cell {
	cells := make([]Cell, 0, members+len(r.Metadata)+1)
	for member, text := range r.values() {
		cells = append(cells, Cell{names[member], *text})
		if member == contact && named {
			cells = append(cells, Cell{contactIDColumn, cmp.Or(r.ContactID, r.Contact)})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.Metadata)) {
		cells = append(cells, Cell{metadataPrefix + key, r.Metadata[key]})
	}
	return cells
}

// error returns an error at a member; a member that is missing has the position of the row.
func (r *Row) error(member int, format string, args ...any) error {
	at := r.positions[member]
	if at == (rows.Position{}) {
		at = rows.Position{Line: r.Line, Column: 1}
	}
	return rows.Errorf(at, "%s %s", names[member], fmt.Sprintf(format, args...))
}
