package importer

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

const (
	// maxBytes bounds a file, which is kept in memory: a thousand bytes for each of maxRows rows.
	maxBytes = 50 << 20
	// maxRows bounds the rows: each takes about two kilobytes, so up to 100 MB. Larger files can be split.
	maxRows = 50_000
	// maxColumns bounds the columns of the report, some of which are names of metadata.
	maxColumns = 200
)

// A File is what Read has read.
type File[T any] struct {
	Rows []*Row[T]
	// Columns are those of the input, by the names that the report has.
	Columns []string
	// Unused are columns of the file that the mapping left out, at most a hundred.
	Unused []string
	rows.Errors
}

// Read reads a file to its end and checks every row. The error means that the file cannot be read; errors in rows are
// part of the result.
func Read[T any](name string, content io.Reader, mapping *rows.Mapping, kind Kind[T]) (*File[T], error) {
	all, err := io.ReadAll(io.LimitReader(content, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(all) > maxBytes {
		return nil, fmt.Errorf("%s: %w: it is larger than %d bytes; split it", name, rows.ErrUnusable, maxBytes)
	}
	from, err := rows.Open(name, bytes.NewReader(all), mapping)
	if err != nil {
		return nil, err
	}
	r := &reader[T]{Kind: kind, file: &File[T]{}, names: kind.names(), lines: map[string]int{}}
	for _, column := range from.Columns {
		r.addColumn(r.member(column.Name))
	}
	if err := r.readRows(name, from); err != nil {
		return nil, err
	}
	r.file.Unused = from.Unused()
	return r.file, nil
}

// A reader reads the rows of a file.
type reader[T any] struct {
	Kind[T]

	file  *File[T]
	names map[string]string // members, by their folded names
	lines map[string]int    // where an external id stands, by it
}

// member returns the member that a column means.
func (r *reader[T]) member(name string) string { return cmp.Or(r.names[rows.FoldColumn(name)], name) }

func (r *reader[T]) addColumn(member string) {
	name := column(member)
	if !slices.Contains(r.file.Columns, name) && len(r.file.Columns) < maxColumns {
		r.file.Columns = append(r.file.Columns, name)
	}
}

// readRows reads and checks every row.
func (r *reader[T]) readRows(name string, from *rows.Reader) error {
	for {
		read, err := from.Next()
		wrong, isRowError := errors.AsType[*rows.Error](err)
		switch {
		case errors.Is(err, io.EOF) && len(r.file.Rows) == 0 && len(r.file.First) == 0:
			return fmt.Errorf("%s: %w: it has no rows", name, rows.ErrUnusable)
		case errors.Is(err, io.EOF):
			return nil
		case isRowError:
			if _ = r.file.Add(wrong); wrong.Final {
				return nil
			}
			continue
		case err != nil:
			return err
		case len(r.file.Rows) == maxRows:
			return fmt.Errorf("%s: %w: it has more than %d rows; split it", name, rows.ErrUnusable, maxRows)
		case !read.Named:
			_ = r.file.Add(&rows.Error{Position: read.Position, Reason: "a row must be a JSON object"})
			continue
		}
		r.file.Rows = append(r.file.Rows, r.readRow(read))
	}
}

// readRow reads one row and adds its errors.
func (r *reader[T]) readRow(read *rows.Row) *Row[T] {
	row := &Row[T]{Line: read.Line, positions: map[string]rows.Position{}}
	body, failed := map[string]any{}, payments.FieldErrors{}
	for _, field := range flat(read.Fields) {
		member := r.member(field.Name)
		if _, known := r.names[rows.FoldColumn(member)]; !known && !strings.HasPrefix(member, metadataPrefix) {
			_ = r.file.Add(rows.Errorf(field.Position, "unknown column %q", field.Name))
			continue
		}
		r.addColumn(member)
		if _, twice := row.positions[member]; twice {
			_ = r.file.Add(&rows.Error{Position: field.Position, Reason: column(member) + " is there twice"})
			continue
		}
		row.positions[member] = field.Position
		if field.Kind != 'n' {
			set(body, member, field)
		}
	}
	encoded, err := json.Marshal(body, json.Deterministic(true))
	if err == nil {
		var report contract.Report
		if report, err = contract.Validate(r.Body, encoded); err == nil {
			maps.Copy(failed, report.Errors)
		}
	}
	if err == nil {
		err = json.Unmarshal(encoded, &row.Request)
	}
	if err != nil && len(failed) == 0 {
		_ = r.file.Add(&rows.Error{Position: read.Position, Reason: "the row is not UTF-8"})
	}
	if err == nil {
		for field, messages := range r.Check(&row.Request) {
			if failed[field] == nil {
				failed[field] = messages
			}
		}
	}
	for _, field := range failed.Names() {
		for _, message := range failed[field] {
			_ = r.file.Add(&rows.Error{Position: row.Position(field), Reason: message})
		}
	}
	externalID, given := body[ExternalID]
	if row.ExternalID, _ = externalID.(string); row.ExternalID != "" || !given { // otherwise it is no text, which is reported
		r.checkExternalID(row)
	}
	return row
}

// checkExternalID adds the errors of an external id: it is what makes a row repeatable.
func (r *reader[T]) checkExternalID(row *Row[T]) {
	add := func(format string, args ...any) {
		_ = r.file.Add(&rows.Error{Position: row.Position(ExternalID), Reason: "external_id " + fmt.Sprintf(format, args...)})
	}
	fault := payments.ReferenceFault(row.ExternalID)
	first, twice := r.lines[row.ExternalID]
	switch {
	case row.ExternalID == "":
		add("is missing: it is your own name for the row, by which it is created only once; " +
			"--map external_id=COLUMN takes it from another column")
	case fault != "":
		add("%s", fault)
	case twice:
		add("%q is in line %d already", row.ExternalID, first)
	default:
		r.lines[row.ExternalID] = row.Line
	}
}

// flat returns the fields of a row, with those of a JSON object in place of the object, as address.city.
func flat(fields []rows.Field) (all []rows.Field) {
	for _, field := range fields {
		if field.Kind != '{' {
			all = append(all, field)
			continue
		}
		for _, inner := range field.Members() {
			inner.Name = field.Name + "." + inner.Name
			all = append(all, inner)
		}
	}
	return all
}

// set sets a member of a body.
func set(body map[string]any, member string, field rows.Field) {
	if object, inner, ok := strings.Cut(member, "."); ok {
		within, _ := body[object].(map[string]any)
		if within == nil {
			within = map[string]any{}
			body[object] = within
		}
		body, member = within, inner
	}
	if field.Kind == '"' {
		body[member] = field.Text
		return
	}
	body[member] = jsontext.Value(field.Text)
}
