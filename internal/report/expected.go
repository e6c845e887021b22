package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
	"github.com/payctl/payctl/internal/suggest"
)

const (
	// maxPayments bounds the rows of a file by their memory: about 350 bytes each, and as much for the garbage collector.
	maxPayments = 1_000_000
	// maxErrors is how many errors of a file are kept: more than a person corrects one by one.
	maxErrors = 100
	// maxIgnored is how many columns that are not compared are named.
	maxIgnored = 20
)

// ErrUnusable is the error of a file that cannot be read as a list of payments.
var ErrUnusable = errors.New("the file cannot be used")

// The columns of a file of expected payments. Only the reference is required.
const (
	columnReference  = "reference"
	columnAmount     = "amount"
	columnAmountType = "amount_type"
	columnCurrency   = "currency"
	columnContact    = "contact"
	columnRoute      = "route"
	columnState      = "state"
)

// Members are the columns that are compared. They are those of a file for `transfer batch`, so that the file that was
// paid can be compared with what was paid.
func Members() rows.Members {
	return rows.Members{Names: []string{
		columnReference, columnAmount, columnAmountType, columnCurrency, columnContact, columnRoute, columnState,
	}}
}

// A Format describes how a file of expected payments is written.
type Format struct {
	Mapping      *rows.Mapping // of Members; nil: the columns have their names
	DecimalComma bool          // amounts are written as 12,50
}

// A Payment is a row of a file: a transfer that is expected. Members that the file leaves out are empty and not
// compared.
type Payment struct {
	Line      int
	Reference string
	Amount    *payments.Decimal
	Contact   string
	*terms
}

// terms are what many payments of a file have in common; equal terms are kept once.
type terms struct {
	AmountType payments.AmountType
	Currency   string
	Route      string
	State      string // a state of transfers, or one of Paid, Pending and Failed
}

// Expected are the payments of a file.
type Expected struct {
	payments    []Payment
	byReference map[string]int32 // index in payments
	// Compared are the columns of the file that are compared, Ignored others that it has, at most twenty.
	Compared, Ignored []string
	// Errors are the first of the file's errors in its order; MoreErrors counts the others. With an error the payments
	// are of no use.
	Errors     []*rows.Error
	MoreErrors int

	terms map[terms]*terms
}

// Len is how many payments are expected.
func (e *Expected) Len() int { return len(e.payments) }

// ReadExpected reads a file of expected payments to its end: CSV with a header, NDJSON, or a JSON array of objects.
// Columns that are not compared are left out, as such a file is often made for something else. An error means that the
// file cannot be read, or is ErrUnusable; errors in rows are part of the result.
func ReadExpected(ctx context.Context, content io.Reader, format Format) (*Expected, error) {
	e := &Expected{byReference: map[string]int32{}, terms: map[terms]*terms{}}
	file, err := rows.New(content, nil)
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: it is empty", ErrUnusable)
	}
	if err != nil {
		return e, e.fail(err)
	}
	err = file.Map(format.Mapping)
	if err == nil && file.Format == rows.CSV {
		err = e.readHeader(file.Columns)
	}
	if err != nil {
		return e, e.fail(err)
	}
	for count := 1; ; count++ {
		row, err := file.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = e.add(row, format.DecimalComma)
		}
		if err := e.fail(err); err != nil {
			return nil, err
		}
		wrong, isRowError := errors.AsType[*rows.Error](err)
		switch {
		case isRowError && wrong.Final:
			return e, nil
		case count%1024 == 0 && ctx.Err() != nil:
			return nil, ctx.Err()
		case len(e.payments) > maxPayments:
			return nil, fmt.Errorf("%w: it has more than %d rows; split it", ErrUnusable, maxPayments)
		}
	}
	e.Ignored = append(e.Ignored, file.Unused()...)
	e.terms = nil
	return e, nil
}

// fail keeps an error of the file; any other error it returns.
func (e *Expected) fail(err error) error {
	wrong, ok := errors.AsType[*rows.Error](err)
	switch {
	case !ok:
		return err
	case len(e.Errors) == maxErrors:
		e.MoreErrors++
	default:
		e.Errors = append(e.Errors, wrong)
	}
	return nil
}

// readHeader checks the columns of a CSV file. A column that is not compared, but looks like one that is missing, is an
// error: a misspelt amount must not be left out.
func (e *Expected) readHeader(columns []rows.Field) error {
	for _, column := range columns {
		if slices.Contains(e.Compared, column.Name) {
			return rowError(column.Position, "the column %s is there twice", column.Name)
		}
		e.note(column.Name)
	}
	for _, column := range columns {
		if Members().Has(column.Name) {
			continue
		}
		guess := suggest.Guess(column.Name, Members().Names)
		if guess != "" && !slices.Contains(e.Compared, guess) {
			return rowError(column.Position, "the column %q is not known, and there is no %[2]s: take it with --map %[2]s=COLUMN, "+
				"or leave it out with --set %[2]s=", column.Name, guess)
		}
	}
	if !slices.Contains(e.Compared, columnReference) {
		return rowError(columns[0].Position, "the column reference is missing; --map reference=COLUMN takes it from another column")
	}
	return nil
}

// note notes that the file has a column.
func (e *Expected) note(name string) {
	switch isMember := Members().Has(name); {
	case isMember && !slices.Contains(e.Compared, name):
		e.Compared = append(e.Compared, strings.Clone(name))
	case !isMember && len(e.Ignored) < maxIgnored && !slices.Contains(e.Ignored, name):
		e.Ignored = append(e.Ignored, strings.Clone(name))
	}
}

// add adds a row of the file.
func (e *Expected) add(row *rows.Row, decimalComma bool) error {
	if !row.Named {
		return rowError(row.Position, "a row must be a JSON object, one a line")
	}
	p := Payment{Line: row.Line}
	var all terms
	at := row.Position
	for _, field := range row.Fields {
		e.note(field.Name)
		if field.Name == columnReference {
			at = field.Position
		}
		if err := p.set(&all, field, decimalComma); err != nil {
			return err
		}
	}
	if p.Reference == "" {
		return rowError(at, "reference is missing")
	}
	if first, twice := e.byReference[p.Reference]; twice {
		return rowError(at, "reference %q is in line %d already", p.Reference, e.payments[first].Line)
	}
	p.terms = e.intern(all)
	p.Reference, p.Contact = strings.Clone(p.Reference), strings.Clone(p.Contact) // not the whole row
	e.byReference[p.Reference] = int32(len(e.payments))
	e.payments = append(e.payments, p)
	return nil
}

// set sets the member of a payment that a field names, or nothing if it names none.
func (p *Payment) set(all *terms, field rows.Field, decimalComma bool) error {
	switch {
	case field.Kind == 'n' || !Members().Has(field.Name):
		return nil
	case field.Kind != '"' && (field.Kind != '0' || field.Name != columnAmount):
		return rowError(field.Position, "%s must be a JSON string", field.Name)
	}
	switch field.Name {
	case columnReference:
		if fault := payments.ReferenceFault(field.Text); fault != "" {
			return rowError(field.Position, "reference %s %s", payments.QuoteReference(field.Text), fault)
		}
		p.Reference = field.Text
	case columnAmount:
		amount, err := amountOf(field, decimalComma)
		if err != nil {
			return rowError(field.Position, "amount %v", err)
		}
		p.Amount = &amount
	case columnAmountType:
		if all.AmountType = payments.AmountType(field.Text); !all.AmountType.Valid() {
			return rowError(field.Position, "amount_type must be source or target")
		}
	case columnCurrency:
		all.Currency = field.Text
	case columnContact:
		p.Contact = field.Text
	case columnRoute:
		all.Route = field.Text
	case columnState:
		if err := CheckState(field.Text); err != nil {
			return rowError(field.Position, "state %v", err)
		}
		all.State = field.Text
	}
	return nil
}

// amountOf reads an amount. A JSON number has a point, whatever the texts of the file have.
func amountOf(field rows.Field, decimalComma bool) (payments.Decimal, error) {
	text := field.Text
	if decimalComma && field.Kind == '"' {
		var err error
		if text, err = rows.DecimalComma(text); err != nil {
			return payments.Decimal{}, err
		}
	}
	amount, err := payments.ParseDecimal(text)
	if err != nil && strings.Contains(text, ",") {
		err = errors.New("must have a decimal point and no other separator, as in 12.50; --decimal-comma reads amounts such as 12,50")
	}
	return amount, err
}

// intern returns the only copy of terms.
func (e *Expected) intern(all terms) *terms {
	if known := e.terms[all]; known != nil {
		return known
	}
	all.AmountType = payments.AmountType(strings.Clone(string(all.AmountType)))
	all.Currency, all.Route, all.State = strings.Clone(all.Currency), strings.Clone(all.Route), strings.Clone(all.State)
	e.terms[all] = &all
	return &all
}

func rowError(at rows.Position, format string, args ...any) error {
	return &rows.Error{Position: at, Reason: fmt.Sprintf(format, args...)}
}
