package transfer

import (
	"context"
	"io"
	"slices"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

// maxExpected bounds the rows of a file of expected payments by their memory.
const maxExpected = 1_000_000

// The columns of a file of expected payments.
const (
	columnReference  = "reference"
	columnAmount     = "amount"
	columnAmountType = "amount_type"
	columnCurrency   = "currency"
	columnContact    = "contact"
	columnRoute      = "route"
	columnState      = "state"
)

// expectedMembers are the columns that are compared. They are those of a file for `transfer batch`, which can be
// compared with what was paid. Others are left out, since such a file is often made for something else.
func expectedMembers() rows.Members {
	return rows.Members{
		Names: []string{
			columnReference, columnAmount, columnAmountType, columnCurrency, columnContact, columnRoute, columnState,
		},
		Required: []string{columnReference}, Amount: columnAmount, LeaveOut: true,
	}
}

// An expectedPayment is a row of a file: a transfer that is expected. Members that the file leaves out are empty and not
// compared.
type expectedPayment struct {
	line       int
	reference  string
	amount     *payments.Decimal
	contact    string
	amountType payments.AmountType
	currency   string
	route      string
	state      string // a state of transfers, or one of paid, pending and failed
}

// An expectedFile has the payments of a file.
type expectedFile struct {
	rows.Errors

	payments    []expectedPayment
	byReference map[string]int  // index in payments
	has         map[string]bool // columns in which a row has a value
	unused      []string        // columns that are not compared
	noAmounts   bool            // the user has said that payments need not have an amount
}

// readExpected reads a file of expected payments to its end: CSV with a header, NDJSON, or a JSON array of objects. An
// error means that the file cannot be read; errors in rows are part of the result.
func readExpected(ctx context.Context, name string, content io.Reader, mapping *rows.Mapping) (*expectedFile, error) {
	e := &expectedFile{
		byReference: map[string]int{}, has: map[string]bool{},
		noAmounts: mapping.MayBeEmpty(columnAmount),
	}
	text, err := rows.Read(name, content)
	if err != nil {
		return nil, err
	}
	file, err := rows.Open(name, text, mapping)
	if err != nil {
		return nil, err
	}
	err = file.Each(ctx, name, maxExpected, &e.Errors, e.add)
	e.unused = file.Unused()
	return e, err
}

// add adds a row of the file.
func (e *expectedFile) add(row *rows.Row) error {
	p := expectedPayment{line: row.Line}
	at := row.Position
	for _, field := range row.Fields {
		if field.Name == columnReference {
			at = field.Position
		}
		if err := p.set(field); err != nil {
			return err
		}
		if field.Kind != 'n' && !e.has[field.Name] {
			e.has[field.Name] = true
		}
	}
	if p.reference == "" {
		return rows.Errorf(at, "reference is missing")
	}
	if first, twice := e.byReference[p.reference]; twice {
		return rows.Errorf(at, "reference %q is in line %d already", p.reference, e.payments[first].line)
	}
	e.byReference[p.reference] = len(e.payments)
	e.payments = append(e.payments, p)
	return nil
}

// set sets the member of a payment that a field names.
func (p *expectedPayment) set(field rows.Field) error {
	switch {
	case field.Kind == 'n':
		return nil
	case field.Kind != '"' && (field.Kind != '0' || field.Name != columnAmount):
		return rows.Errorf(field.Position, "%s must be a JSON string", field.Name)
	}
	switch field.Name {
	case columnReference:
		if fault := payments.ReferenceFault(field.Text); fault != "" {
			return rows.Errorf(field.Position, "reference %s %s", payments.QuoteReference(field.Text), fault)
		}
		p.reference = field.Text
	case columnAmount:
		amount, err := payments.ParseDecimal(field.Text)
		if err != nil {
			return rows.Errorf(field.Position, "amount %q %v", field.Text, err)
		}
		p.amount = &amount
	case columnAmountType:
		if p.amountType = payments.AmountType(field.Text); !p.amountType.Valid() {
			return rows.Errorf(field.Position, "amount_type must be source or target")
		}
	case columnCurrency:
		p.currency = field.Text
	case columnContact:
		p.contact = field.Text
	case columnRoute:
		p.route = field.Text
	case columnState:
		if err := checkExpectedState(field.Text); err != nil {
			return rows.Errorf(field.Position, "state %v", err)
		}
		p.state = field.Text
	}
	return nil
}

// compared are the members in which the payments are compared.
func (e *expectedFile) compared() []string {
	all := slices.DeleteFunc(expectedMembers().Names, func(name string) bool {
		return name == columnAmountType || name != columnState && !e.has[name]
	})
	return all
}
