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
	// maxErrors is how many errors are shown: more than a person corrects one by one.
	maxErrors = 100
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
	// Errors are the first of the file's errors, in its order; MoreErrors counts the others.
	Errors     []*rows.Error
	MoreErrors int
}

// Read reads a file to its end and checks every row. The error means that the file cannot be read; errors in rows are
// part of the result.
func Read[T any](name string, content io.Reader, mapping *rows.Mapping, kind Kind[T]) (*File[T], error) {
	all, err := io.ReadAll(io.LimitReader(content, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(all) > maxBytes {
		return nil, fmt.Errorf("%s: %w: it is larger than %d bytes; split it", name, ErrUnusable, maxBytes)
	}
	from, err := rows.New(bytes.NewReader(all), nil)
	_, isRowError := errors.AsType[*rows.Error](err)
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: %w: it is empty", name, ErrUnusable)
	case isRowError:
		return nil, fmt.Errorf("%w: %s:%w", ErrUnusable, name, err)
	case err != nil:
		return nil, err
	}
	if err := from.Map(mapping); err != nil {
		return nil, fmt.Errorf("%w: %s:%w", ErrUnusable, name, err)
	}
	r := &reader[T]{Kind: kind, file: &File[T]{}, names: kind.names(), lines: map[string]int{}}
	for _, column := range from.Columns {
		if member, err := r.member(column); err != nil {
			r.file.Add(err)
		} else {
			r.addColumn(member)
		}
	}
	if from.Format == rows.CSV {
		r.checkColumns()
	}
	if len(r.file.Errors) == 0 {
		if err := r.readRows(name, from); err != nil {
			return nil, err
		}
	}
	r.file.Unused = from.Unused()
	return r.file, nil
}

// Add adds an error of a row.
func (f *File[T]) Add(err *rows.Error) {
	switch {
	case err.Flag != "" && slices.ContainsFunc(f.Errors, func(e *rows.Error) bool { return *e == *err }):
		return // a constant is wrong in every row
	case len(f.Errors) == maxErrors:
		f.MoreErrors++
		return
	}
	at, _ := slices.BinarySearchFunc(f.Errors, err, func(a, b *rows.Error) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column, -1)
	})
	f.Errors = slices.Insert(f.Errors, at, err)
}

// A reader reads the rows of a file.
type reader[T any] struct {
	Kind[T]

	file  *File[T]
	names map[string]string // members, by their folded names
	lines map[string]int    // where an external id stands, by it

	explained bool // an error says which columns there are
}

// member returns the member that a column or a name in a JSON object means.
func (r *reader[T]) member(field rows.Field) (string, *rows.Error) {
	if member, ok := r.names[rows.FoldColumn(field.Name)]; ok {
		return member, nil
	}
	if key, ok := strings.CutPrefix(field.Name, metadataPrefix); ok && key != "" {
		return field.Name, nil
	}
	reason := fmt.Sprintf("unknown column %q", field.Name)
	if !r.explained { // once: there are many columns
		r.explained = true
		reason += fmt.Sprintf("; the columns are %s. --map MEMBER=COLUMN takes one of these from a column with another "+
			"name, and leaves out the columns that are not needed", r.Members())
	}
	return "", &rows.Error{Position: field.Position, Reason: reason}
}

// checkColumns adds an error for each column that a CSV file lacks and that every row needs.
func (r *reader[T]) checkColumns() {
	for _, m := range r.Body.Members {
		name := column(m.Name)
		if !m.Required && m.Name != ExternalID || slices.Contains(r.file.Columns, name) {
			continue
		}
		reason := fmt.Sprintf("the column %[1]s is missing; --map %[1]s=COLUMN takes it from another column", name)
		if m.Name == ExternalID {
			reason += ". It is your own name for a row, by which the row is created only once"
		} else {
			reason += fmt.Sprintf(", and --set %s=VALUE gives all rows one value", name)
		}
		r.file.Add(&rows.Error{Position: rows.Position{Line: 1, Column: 1}, Reason: reason})
	}
}

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
		case errors.Is(err, io.EOF) && len(r.file.Rows) == 0 && len(r.file.Errors) == 0:
			return fmt.Errorf("%s: %w: it has no rows", name, ErrUnusable)
		case errors.Is(err, io.EOF):
			return nil
		case isRowError:
			if r.file.Add(wrong); wrong.Final {
				return nil
			}
			continue
		case err != nil:
			return err
		case len(r.file.Rows) == maxRows:
			return fmt.Errorf("%s: %w: it has more than %d rows; split it", name, ErrUnusable, maxRows)
		case !read.Named:
			r.file.Add(&rows.Error{Position: read.Position, Reason: "a row must be a JSON object"})
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
		member, err := r.member(field)
		if err != nil {
			r.file.Add(err)
			continue
		}
		r.addColumn(member)
		if _, twice := row.positions[member]; twice {
			r.file.Add(&rows.Error{Position: field.Position, Reason: column(member) + " is there twice"})
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
		r.file.Add(&rows.Error{Position: read.Position, Reason: "the row is not UTF-8"})
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
			r.file.Add(&rows.Error{Position: row.Position(field), Reason: message})
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
		r.file.Add(&rows.Error{Position: row.Position(ExternalID), Reason: "external_id " + fmt.Sprintf(format, args...)})
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
