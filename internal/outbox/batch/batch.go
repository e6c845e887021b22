// Package batch makes many transfers from a file. Check reads the file, checks every row before anything is sent and
// plans the transfers; Sender sends the rows and reports the outcome of each. Memory grows with the file only while
// it is checked, by what finds a reference that occurs twice.
package batch

import (
	"cmp"
	"fmt"

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
	Line       int               `json:"line"`
	Reference  string            `json:"reference"`            // identifies the row on every machine
	Contact    string            `json:"contact"`              // the saved contact that receives the money, as written
	ContactID  string            `json:"contact_id,omitzero"`  // its identifier, if the row has its label or external id
	Route      string            `json:"route"`                // the routeKey
	Amount     string            `json:"amount,omitzero"`      // empty: the transfer takes whatever amount arrives
	AmountType string            `json:"amount_type,omitzero"` // the side that the amount counts on, as written
	Metadata   map[string]string `json:"metadata,omitempty"`

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

// error returns an error at a member; a member that is missing has the position of the row.
func (r *Row) error(member int, format string, args ...any) error {
	at := r.positions[member]
	if at == (rows.Position{}) {
		at = rows.Position{Line: r.Line, Column: 1}
	}
	return rowError(at, "%s", names[member]+" "+fmt.Sprintf(format, args...))
}
