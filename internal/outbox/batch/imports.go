package batch

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

const (
	// maxImportRows bounds the rows: each takes about two kilobytes, so up to 100 MB. Larger files can be split.
	maxImportRows = 50_000
	// maxColumns bounds the columns of the report, some of which are names of metadata.
	maxColumns = 200
	// externalID is the member that makes a row of an import repeatable.
	externalID = "externalId"
)

// A Kind describes what the rows of an import become: requests of type T.
type Kind[T any] struct {
	// Body is the schema of a request.
	Body *contract.Schema
	// Aliases are further names of members, by the further name.
	Aliases map[string]string
	// Check brings a request into its normal form, and returns what is wrong with it beyond its schema.
	Check func(*T) payments.FieldErrors
	// Shown is a request as it may be shown, without personal data.
	Shown func(T) any
	// Write describes the write of a request.
	Write func(T) *outbox.Write
}

// An ImportRow is a request as it stands in the file.
type ImportRow[T any] struct {
	Line    int
	Request T

	positions map[string]rows.Position // by the name of the member
}

// Position is where a member of the row stands in the file: that of the row if it has none.
func (r *ImportRow[T]) Position(member string) rows.Position {
	return cmp.Or(r.positions[member], rows.Position{Line: r.Line, Column: 1})
}

// An Import is a file whose rows become accounts or contacts, each once, by its external id.
type Import[T any] struct {
	Rows []*ImportRow[T]
	// Columns are those of the input, by the names that the report has.
	Columns []string
	// Unused are columns of the file that the mapping left out, at most a hundred.
	Unused []string
	rows.Errors

	kind    Kind[T]
	name    string
	members map[string]string // by the names of their columns
	ids     references        // external ids
}

// column returns the name of a member as a column: externalId is external_id. Metadata keeps its names.
func column(member string) string {
	if strings.HasPrefix(member, metadataPrefix) {
		return member
	}
	var b strings.Builder
	for _, r := range member {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Members are the columns that a file may have, by which it can be mapped.
func (k *Kind[T]) Members() rows.Members {
	all := rows.Members{Prefix: metadataPrefix, Aliases: map[string]string{}, Required: []string{column(externalID)}}
	for _, member := range memberNames(k.Body) {
		all.Names = append(all.Names, column(member))
	}
	for alias, member := range k.Aliases {
		all.Aliases[alias] = column(member)
	}
	for _, m := range k.Body.Members {
		if m.Required && m.Name != externalID {
			all.Required = append(all.Required, column(m.Name))
		}
	}
	return all
}

// memberNames lists the members of a schema by their names, those of an object as address.city, and no metadata.
func memberNames(s *contract.Schema) (names []string) {
	for _, m := range s.Members {
		if m.Schema.Kind != contract.Object {
			names = append(names, m.Name)
		} else if m.Schema.Values == nil {
			for _, inner := range m.Schema.Members {
				names = append(names, m.Name+"."+inner.Name)
			}
		}
	}
	return names
}

// ReadImport reads a file to its end and checks every row. The error means that the file cannot be read; errors in rows are
// part of the result.
func ReadImport[T any](
	ctx context.Context, name string, content io.Reader, mapping *rows.Mapping, kind Kind[T],
) (*Import[T], error) {
	text, err := rows.Read(name, content)
	if err != nil {
		return nil, err
	}
	from, err := rows.Open(name, text, mapping)
	if err != nil {
		return nil, err
	}
	f := &Import[T]{kind: kind, name: name, members: map[string]string{}, ids: references{}}
	for _, member := range memberNames(kind.Body) {
		f.members[column(member)] = member
	}
	for _, column := range from.Columns {
		f.addColumn(column.Name)
	}
	err = from.Each(ctx, name, maxImportRows, &f.Errors, func(read *rows.Row) error {
		f.add(read)
		return nil
	})
	if err == nil && len(f.Rows) == 0 && len(f.First) == 0 {
		err = rows.ErrNone(name)
	}
	f.Unused = from.Unused()
	return f, err
}

func (f *Import[T]) addColumn(name string) {
	if !slices.Contains(f.Columns, name) && len(f.Columns) < maxColumns {
		f.Columns = append(f.Columns, name)
	}
}

// add adds one row and its errors.
func (f *Import[T]) add(read *rows.Row) {
	row := &ImportRow[T]{Line: read.Line, positions: map[string]rows.Position{}}
	f.Rows = append(f.Rows, row)
	wrong := func(at rows.Position, format string, args ...any) { f.Add(rows.Errorf(at, format, args...)) }
	body := f.body(row, read.Fields)
	encoded, err := json.Marshal(body, json.Deterministic(true))
	failed := payments.FieldErrors{}
	if err == nil {
		var report contract.Report
		if report, err = contract.Validate(f.kind.Body, encoded); err == nil {
			maps.Copy(failed, report.Errors)
			err = json.Unmarshal(encoded, &row.Request)
		}
	}
	switch {
	case err != nil && len(failed) == 0:
		wrong(read.Position, "the row is not UTF-8")
	case err == nil:
		for field, messages := range f.kind.Check(&row.Request) {
			if failed[field] == nil {
				failed[field] = messages
			}
		}
	}
	for _, field := range failed.Names() {
		for _, message := range failed[field] {
			wrong(row.Position(field), "%s", message)
		}
	}
	// An external id that is no text has an error already.
	id, isText := body[externalID].(string)
	switch first, twice := f.ids.add(id, row.Line); {
	case !isText && body[externalID] != nil:
	case id == "":
		wrong(row.Position(externalID), "external_id is missing: it is your own name for the row, by which it is created only "+
			"once; --map external_id=COLUMN takes it from another column")
	case payments.ReferenceFault(id) != "":
		wrong(row.Position(externalID), "external_id %s", payments.ReferenceFault(id))
	case twice:
		wrong(row.Position(externalID), "external_id %q is in line %d already", id, first)
	}
}

// body returns the members that fields give to a request, and sets their positions.
func (f *Import[T]) body(row *ImportRow[T], fields []rows.Field) map[string]any {
	body := map[string]any{}
	for _, field := range fields {
		member := cmp.Or(f.members[field.Name], field.Name) // metadata keeps its name
		f.addColumn(field.Name)
		row.positions[member] = field.Position
		to := body
		if object, inner, isNested := strings.Cut(member, "."); isNested && field.Kind != 'n' {
			if body[object] == nil {
				body[object] = map[string]any{}
			}
			to, member = body[object].(map[string]any), inner
		}
		switch field.Kind {
		case 'n':
		case '"':
			to[member] = field.Text
		default:
			to[member] = jsontext.Value(field.Text)
		}
	}
	return body
}

// All returns the rows as they are sent and reported.
func (f *Import[T]) All() Rows {
	at := 0
	return func() (*Row, error) {
		if at == len(f.Rows) {
			return nil, io.EOF
		}
		read := f.Rows[at]
		at++
		row := &Row{Line: read.Line, Write: f.kind.Write(read.Request), isImport: true}
		row.Write.Intent.File = filepath.Base(f.name)
		given, shown := texts(read.Request), texts(f.kind.Shown(read.Request))
		for _, name := range slices.Sorted(maps.Keys(given)) {
			row.Cells = append(row.Cells, Cell{name, shown[name]})
		}
		return row, nil
	}
}

// texts are the texts of a JSON object by the names of columns.
func texts(value any) map[string]string {
	all := map[string]string{}
	var add func(prefix string, fields map[string]any)
	add = func(prefix string, fields map[string]any) {
		for name, value := range fields {
			if inner, isObject := value.(map[string]any); isObject {
				add(prefix+name+".", inner)
			} else {
				all[column(prefix+name)] = fmt.Sprint(value)
			}
		}
	}
	fields, _ := payments.Document(value) // values of the contract can always be encoded
	add("", fields)
	return all
}
