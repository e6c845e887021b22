package batch

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

// A reader reads the rows of a source as transfers. CSV and NDJSON have the same members; the metadata of a row are
// columns metadata.NAME in CSV and one object in NDJSON.
type reader struct {
	rows     *rows.Reader
	columns  []string // of the file; of NDJSON those that may occur
	amounts  *rows.AmountStyle
	contacts map[string]foundContact
}

// open reads a source from its start, up to the first row.
func (s *Source) open() (*reader, error) {
	content, err := rows.Open(s.name, s.content(), s.Mapping)
	if err != nil {
		return nil, err
	}
	amounts := *s.Amounts // each reading begins anew
	r := &reader{rows: content, columns: names[:], amounts: &amounts, contacts: s.contacts}
	if content.Format == rows.CSV {
		r.columns = nil
		for _, column := range content.Columns {
			r.columns = append(r.columns, column.Name)
		}
	}
	return r, nil
}

// next reads the next row. Its errors are those of rows.Reader.
func (r *reader) next() (Row, error) {
	read, err := r.rows.Next()
	if err != nil {
		return Row{}, err
	}
	return r.row(read)
}

// row returns a row as a transfer.
func (r *reader) row(read *rows.Row) (row Row, err error) {
	row.Line = read.Line
	for _, field := range read.Fields {
		key, isMetadata := strings.CutPrefix(field.Name, metadataPrefix)
		switch {
		case isMetadata && key != "":
			err = row.setMetadata(key, field)
		case field.Name == "metadata":
			err = row.setAllMetadata(field)
		default:
			err = row.set(field, r.amounts)
		}
		if err != nil {
			return row, err
		}
	}
	if id := r.contacts[row.Contact].id; id != row.Contact {
		row.ContactID = id
	}
	return row, nil
}

// set sets the member that a field names. An amount may be a JSON number; its text counts, so that no digit is lost.
func (r *Row) set(field rows.Field, amounts *rows.AmountStyle) error {
	member := slices.Index(names[:], field.Name)
	switch {
	case field.Kind != '"' && field.Kind != 'n' && (field.Kind != '0' || member != amount):
		return rows.Errorf(field.Position, "%s must be a JSON string", field.Name)
	case member == amount:
		number, err := amounts.Read(field)
		if err != nil {
			return rows.Errorf(field.Position, "%s %v", field.Name, err)
		}
		field.Text = number
	}
	*r.values()[member], r.positions[member] = field.Text, field.Position
	return nil
}

func (r *Row) setMetadata(key string, field rows.Field) error {
	switch field.Kind {
	case 'n':
		return nil
	case '"':
		if r.Metadata == nil {
			r.Metadata = make(map[string]string, 1)
		}
		if _, before := r.Metadata[key]; before {
			return rows.Errorf(field.Position, "the metadata %s is there twice", key)
		}
		r.Metadata[key] = field.Text
		return nil
	}
	return rows.Errorf(field.Position, "the metadata %s must be a JSON string", key)
}

// setAllMetadata sets the metadata from a JSON object, or nothing from null.
func (r *Row) setAllMetadata(field rows.Field) error {
	if field.Kind != '{' && field.Kind != 'n' {
		return rows.Errorf(field.Position, "metadata must be a JSON object of strings")
	}
	for _, member := range field.Members() {
		if err := r.setMetadata(member.Name, member); err != nil {
			return err
		}
	}
	return nil
}

// Jobs reads the rows from the start, as they are sent in a batch.
func (s *Source) Jobs(batchID string) (Jobs, error) {
	file, err := s.open()
	if err != nil {
		return nil, err
	}
	name := filepath.Base(s.name)
	return func() (*Job, error) {
		row, err := file.next()
		if err != nil {
			return nil, err
		}
		request, err := row.request(batchID)
		if err != nil {
			return nil, err
		}
		j := &Job{Write: outbox.NewAutoTransfer(request, payments.Idempotency{}), Result: Result{
			Line: row.Line, Cells: row.cells(s.named), Sum: row.sum(request), Beneficiary: s.contacts[row.Contact].described,
		}}
		j.Write.Intent.File = name
		return j, nil
	}, nil
}
