package batch

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/rows"
)

// A reader reads the rows of a source as transfers. CSV and NDJSON have the same members; the metadata of a row are
// columns metadata.NAME in CSV and one object in NDJSON.
type reader struct {
	rows         *rows.Reader
	columns      []string // of the file; of NDJSON those that may occur
	decimalComma bool
	contactIDs   map[string]string
}

// open reads a source from its start, up to the first row.
func (s *Source) open() (*reader, error) {
	content, err := rows.New(s.content(), nil)
	_, isRowError := errors.AsType[*rows.Error](err)
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: %w: it is empty", s.name, ErrUnusable)
	case isRowError:
		return nil, fmt.Errorf("%w: %s:%w", ErrUnusable, s.name, err)
	case err != nil:
		return nil, err
	}
	extension := filepath.Ext(s.name)
	isNDJSON := extension == ".ndjson" || extension == ".jsonl"
	switch {
	case content.Format == rows.JSON:
		return nil, fmt.Errorf("%s: %w: it is a JSON array; make NDJSON of it with jq -c '.[]'", s.name, ErrUnusable)
	case content.Format == rows.Lines && extension == ".csv":
		return nil, fmt.Errorf("%s: %w: its name ends in .csv, but it is NDJSON; rename it to .ndjson", s.name, ErrUnusable)
	case content.Format == rows.CSV && isNDJSON:
		return nil, fmt.Errorf("%s: %w: its name ends in %s, but it is not NDJSON", s.name, ErrUnusable, extension)
	}
	r := &reader{rows: content, columns: names[:], decimalComma: s.DecimalComma, contactIDs: s.contactIDs}
	err = content.Map(s.Mapping)
	if err == nil && content.Format == rows.CSV {
		err = r.readHeader()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s:%w", ErrUnusable, s.name, err)
	}
	return r, nil
}

// readHeader checks the columns of a CSV file.
func (r *reader) readHeader() error {
	r.columns = nil
	for _, column := range r.rows.Columns {
		switch {
		case slices.Contains(r.columns, column.Name):
			return rowError(column.Position, "the column %s is there twice", column.Name)
		case !Members().Has(column.Name):
			return rowError(column.Position, "%s", unknownColumn(column.Name))
		}
		r.columns = append(r.columns, column.Name)
	}
	var missing []string
	for _, required := range []int{reference, contact, route} {
		if !slices.Contains(r.columns, names[required]) {
			missing = append(missing, names[required])
		}
	}
	if len(missing) == 0 {
		return nil
	}
	what := "column " + missing[0] + " is"
	if len(missing) > 1 {
		what = "columns " + strings.Join(missing, " and ") + " are"
	}
	return rowError(rows.Position{Line: 1, Column: 1}, "the %[1]s missing; --map %[2]s=COLUMN takes it from another column, "+
		"and --set %[2]s=VALUE gives all rows one value", what, missing[0])
}

func unknownColumn(name string) string {
	return fmt.Sprintf("unknown column %q; the columns are %s. --map MEMBER=COLUMN takes one of these from a column with "+
		"another name, and leaves out the columns that are not needed", name, Members())
}

// next reads the next row. Its errors are those of rows.Reader.
func (r *reader) next() (row Row, err error) {
	read, err := r.rows.Next()
	if err != nil {
		return row, err
	}
	if !read.Named {
		return row, rowError(read.Position, "a row must be a JSON object, one a line")
	}
	row.Line = read.Line
	for _, field := range read.Fields {
		key, isMetadata := strings.CutPrefix(field.Name, metadataPrefix)
		switch {
		case isMetadata && key != "":
			err = row.setMetadata(key, field)
		case field.Name == "metadata":
			err = row.setAllMetadata(field)
		default:
			err = row.set(field, r.decimalComma)
		}
		if err != nil {
			return row, err
		}
	}
	row.ContactID = r.contactIDs[row.Contact]
	return row, nil
}

// set sets the member that a field names. An amount may be a JSON number; its text counts, so that no digit is lost.
func (r *Row) set(field rows.Field, decimalComma bool) error {
	member := slices.Index(names[:], field.Name)
	switch {
	case member < 0:
		return rowError(field.Position, "%s", unknownColumn(field.Name))
	case field.Kind != '"' && field.Kind != 'n' && (field.Kind != '0' || member != amount):
		return rowError(field.Position, "%s must be a JSON string", field.Name)
	case decimalComma && member == amount && field.Kind == '"':
		number, err := rows.DecimalComma(field.Text)
		if err != nil {
			return rowError(field.Position, "%s %v", field.Name, err)
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
			return rowError(field.Position, "the metadata %s is there twice", key)
		}
		r.Metadata[key] = field.Text
		return nil
	}
	return rowError(field.Position, "the metadata %s must be a JSON string", key)
}

// setAllMetadata sets the metadata from a JSON object, or nothing from null.
func (r *Row) setAllMetadata(field rows.Field) error {
	if field.Kind != '{' && field.Kind != 'n' {
		return rowError(field.Position, "metadata must be a JSON object of strings")
	}
	for _, member := range field.Members() {
		if err := r.setMetadata(member.Name, member); err != nil {
			return err
		}
	}
	return nil
}

func rowError(at rows.Position, format string, args ...any) error {
	return &rows.Error{Position: at, Reason: fmt.Sprintf(format, args...)}
}
