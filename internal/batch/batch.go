// Package batch makes many transfers from a file: it reads the rows, checks them all before anything is sent, says what
// is about to happen, sends, and tells of each row what became of it. Its memory does not grow with the file: what is needed to
// find a reference that occurs twice, eight bytes a row, is on the disk.
package batch

import (
	"context"
	"errors"
	"fmt"

	"github.com/payctl/payctl/internal/payments"
)

// Errors of a file, wrapped with its name.
var (
	// ErrUnusable: the file cannot be read, or is not in a form that is.
	ErrUnusable = errors.New("the file cannot be used")
	// ErrChanged: the file was changed after it had been checked.
	ErrChanged = errors.New("the file was changed while it was being sent")
)

// A Journal is what the package needs of the journal of writes. Service, client and profile are the journal's to fill in.
type Journal interface {
	// Lookup finds the entry of a write.
	Lookup(ctx context.Context, intent payments.Intent) (entry payments.JournalEntry, found bool, err error)
	// Prepare puts writes down ahead of sending them.
	Prepare(ctx context.Context, intents []payments.Intent) error
	// Record puts down what was found at the service.
	Record(ctx context.Context, entries []payments.JournalEntry) error
	// End puts down what became of a write, without waiting for the disk.
	End(intent payments.Intent, result payments.Result) error
}

// A Place is where something stands in a file; both count from one, columns in bytes.
type Place struct{ Line, Column int }

// A Mistake is why a row cannot be sent.
type Mistake struct {
	Place
	Reason string
}

// Error implements error.
func (m *Mistake) Error() string { return fmt.Sprintf("%d:%d: %s", m.Line, m.Column, m.Reason) }

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

// metadataPrefix begins the names of columns that hold metadata.
const metadataPrefix = "metadata."

// A Row is a transfer as the file has it.
type Row struct {
	Line     int
	Metadata map[string]string

	values [members]string
	places [members]Place
}

// Reference is what makes the row the same row on every machine.
func (r *Row) Reference() string { return r.values[reference] }

// Contact is the saved contact that receives.
func (r *Row) Contact() string { return r.values[contact] }

// Route is the routeKey.
func (r *Row) Route() string { return r.values[route] }

// Amount is the amount as the file has it; empty: whatever arrives.
func (r *Row) Amount() string { return r.values[amount] }

// AmountType is the side that the amount counts on, as the file has it.
func (r *Row) AmountType() string { return r.values[amountType] }

// side is the side that the amount counts on.
func (r *Row) side() payments.AmountType {
	if r.AmountType() == "" {
		return payments.AmountTypeSource
	}
	return payments.AmountType(r.AmountType())
}

// request is the row as it is sent.
func (r *Row) request(batchID string) (payments.NewAutoTransfer, error) {
	request := payments.NewAutoTransfer{
		DestinationSavedContactID: r.Contact(), Route: payments.RouteChoice(r.Route()),
		Reference: r.Reference(), BatchID: batchID,
	}
	if len(r.Metadata) > 0 {
		request.Metadata = r.Metadata
	}
	if r.Amount() == "" {
		return request, nil
	}
	value, err := payments.ParseDecimal(r.Amount())
	if err != nil {
		return request, r.mistake(amount, "%v", err)
	}
	request.Amount, request.AmountType = &value, r.side()
	return request, nil
}

// Asked is the request that a transfer of a batch was made by, as a row is sent: the same content has the same bytes.
func Asked(t payments.Transfer) payments.NewAutoTransfer {
	request := payments.NewAutoTransfer{
		DestinationSavedContactID: t.DestinationSavedContactID, Route: payments.RouteChoice(t.Route),
		Reference: t.Reference, BatchID: t.BatchID,
	}
	if len(t.Metadata) > 0 {
		request.Metadata = t.Metadata
	}
	if t.Amount != nil {
		request.Amount, request.AmountType = t.Amount, t.AmountType
	}
	return request
}

// mistake is one at a member.
func (r *Row) mistake(member int, format string, args ...any) *Mistake {
	place := r.places[member]
	if place.Line == 0 {
		place = Place{r.Line, 1} // the member is not there
	}
	return &Mistake{place, names[member] + " " + fmt.Sprintf(format, args...)}
}
