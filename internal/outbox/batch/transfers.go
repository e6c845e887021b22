package batch

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

// names are the members of a row that is a transfer. Further columns hold its metadata.
var names = []string{"reference", "contact", "route", "amount", "amount_type"}

const (
	// contactIDColumn is the column of a report with the identifiers of contacts that the file calls by other names.
	contactIDColumn = "contact_id"
	// metadataPrefix begins the names of columns that hold metadata.
	metadataPrefix = "metadata."
)

// Bounds of the contract, in characters and in number.
const (
	maxName          = 128 // of a reference, and of an external id of a contact, which is longer than an identifier or a label
	maxMetadata      = 50
	maxMetadataValue = 500
)

// Members are the members of a row, by which a file can be mapped.
func Members() rows.Members {
	return rows.Members{Names: names, Prefix: metadataPrefix, Required: names[:3], Amount: "amount"}
}

// A transfer is what a row of the file asks for. Its contact is as written: an identifier, or a name of it.
type transfer struct {
	payments.NewAutoTransfer

	line   int
	fields []rows.Field // of the row, with an amount that has a point and no groups
}

// field returns a field of the row. One that is missing has the position of the row.
func (t *transfer) field(name string) rows.Field {
	for i := range t.fields {
		if t.fields[i].Name == name {
			return t.fields[i]
		}
	}
	return rows.Field{Position: rows.Position{Line: t.line, Column: 1}, Name: name}
}

// error returns an error at a member.
func (t *transfer) error(name, format string, args ...any) *rows.Error {
	return rows.Errorf(t.field(name).Position, "%s %s", name, fmt.Sprintf(format, args...))
}

// open reads a source from its start, up to the first row. CSV and NDJSON have the same members; the metadata of a row are
// columns metadata.NAME in CSV and one object in NDJSON.
func (s *Source) open() (*rows.Reader, error) { return rows.Open(s.name, s.text, s.mapping) }

// readTransfer returns the transfer of a row, and every error that neither the service nor another row is needed for.
func readTransfer(row *rows.Row) (t transfer, wrong []*rows.Error) {
	t.line, t.fields = row.Line, slices.Clone(row.Fields)
	for i := range t.fields {
		if err := t.set(t.fields[i]); err != nil {
			wrong = append(wrong, err)
		}
	}
	if len(wrong) > 0 {
		return t, wrong
	}
	add := func(name, format string, args ...any) { wrong = append(wrong, t.error(name, format, args...)) }
	for i, text := range []string{t.Reference, t.DestinationSavedContactID} {
		fault := payments.ReferenceFault(text)
		switch {
		case text == "":
			add(names[i], "is missing")
		case fault != "":
			add(names[i], "%s", fault)
		case utf8.RuneCountInString(text) > maxName:
			add(names[i], "is longer than %d characters", maxName)
		}
	}
	if t.Route.RouteKey == "" {
		add("route", "is missing")
	}
	for key, text := range t.Metadata {
		if utf8.RuneCountInString(text) > maxMetadataValue {
			add(metadataPrefix+key, "is longer than %d characters", maxMetadataValue)
		}
	}
	if len(t.Metadata) > maxMetadata {
		add("metadata", "has more than %d names", maxMetadata)
	}
	number, side := t.field("amount").Text, t.field("amount_type").Text
	switch {
	case side != "" && !payments.AmountType(side).Valid():
		add("amount_type", "must be source or target, not %q", side)
	case side != "" && number == "":
		add("amount_type", "needs an amount")
	case number != "":
		value, err := payments.ParseDecimal(number)
		if err != nil {
			add("amount", "%v", err)
			break
		}
		if value.Zero() {
			add("amount", "must be more than zero")
		}
		t.Amount, t.AmountType = &value, cmp.Or(payments.AmountType(side), payments.AmountTypeSource)
	}
	return t, wrong
}

// set sets a member from a field. An amount is set later; it may be a JSON number, whose text keeps all digits.
func (t *transfer) set(field rows.Field) *rows.Error {
	key, isMetadata := strings.CutPrefix(field.Name, metadataPrefix)
	switch {
	case field.Kind == 'n':
	case field.Kind != '"' && (field.Kind != '0' || field.Name != "amount"):
		return rows.Errorf(field.Position, "%s must be a JSON string", field.Name)
	case isMetadata:
		if t.Metadata == nil {
			t.Metadata = make(map[string]string, 1)
		}
		t.Metadata[key] = field.Text
	case field.Name == "reference":
		t.Reference = field.Text
	case field.Name == "contact":
		t.DestinationSavedContactID = field.Text
	case field.Name == "route":
		t.Route.RouteKey = field.Text
	}
	return nil
}

// Rows reads the rows from the start, as they are sent in a batch.
func (s *Source) Rows(batchID string) (Rows, error) {
	f, err := s.open()
	if err != nil {
		return nil, err
	}
	return func() (*Row, error) {
		read, err := f.Next()
		if err != nil {
			return nil, err
		}
		t, wrong := readTransfer(read)
		if len(wrong) > 0 {
			return nil, wrong[0]
		}
		return s.row(&t, batchID), nil
	}, nil
}

// row returns a transfer as it is sent and reported.
func (s *Source) row(t *transfer, batchID string) *Row {
	row := &Row{Line: t.line, Cells: make([]Cell, 0, len(t.fields)+1)}
	to := s.contacts[t.DestinationSavedContactID]
	for _, field := range t.fields {
		row.Cells = append(row.Cells, Cell{field.Name, field.Text})
		if s.named && field.Name == "contact" {
			row.Cells = append(row.Cells, Cell{contactIDColumn, cmp.Or(to.id, field.Text)})
		}
	}
	row.Beneficiary = to.described
	t.BatchID, t.DestinationSavedContactID = batchID, cmp.Or(to.id, t.DestinationSavedContactID)
	if key, err := payments.ParseRouteKey(t.Route.RouteKey); err == nil && t.Amount != nil {
		currency := key.Currency(t.AmountType)
		decimals, _ := payments.CurrencyDecimals(currency)
		row.Sum = &Total{Currency: currency, AmountType: t.AmountType, Rows: 1, Amount: t.Amount.Written(decimals)}
	}
	row.Write = outbox.NewAutoTransfer(t.NewAutoTransfer, payments.Idempotency{})
	row.Write.Intent.File = filepath.Base(s.name)
	return row
}
