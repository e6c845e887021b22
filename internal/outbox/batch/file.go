// Package batch sends a request for every row of a file: transfers, accounts or contacts.
//
// A Format describes what rows become. Read reads and checks a file. Its rows stay in memory. The format's own
// functions, such as Transfers.Check, check what needs the service. Sender sends the rows and sets the outcome of each.
// Its runs continue where the last one ended.
package batch

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

const (
	// MaxRows bounds the rows. That many take about a gigabyte while they are sent. Larger files can be split.
	MaxRows = 200_000
	// metadataPrefix begins the names of columns that hold metadata.
	metadataPrefix = "metadata."
)

// A Format describes how the rows of a file become requests of type T.
type Format[T any] struct {
	// Op is sent for each row. The members of its body are the columns of a file: externalId is external_id.
	Op *contract.Operation
	// Needs are further members that each row must have.
	Needs []string
	// Columns are other names of columns, by member. An empty name means that the member has no column.
	Columns map[string]string
	// Aliases are the members with further names, by further name.
	Aliases map[string]string
	// ID is the member that makes a row repeatable.
	ID string
	// Named are members that a file may give by names that are looked up later. A name need not fit the schema.
	Named []string
	// Check normalizes a request, and returns what is wrong with it beyond its schema.
	Check func(*T) payments.FieldErrors
	// Shown returns a request without personal data, as it may be shown. Nil means as in the file.
	Shown func(T) any
	// Write returns the write of a request.
	Write func(T) *outbox.Write
}

// An Item is a row of a file with its request.
type Item[T any] struct {
	Row
	Request T

	file   *File[T]
	faults []string // its errors
}

// Wrong adds an error at a member's position in the file, or at the row's if it has none.
func (i *Item[T]) Wrong(member, format string, args ...any) {
	at := rows.Position{Line: i.Line, Column: 1}
	for _, field := range i.fields {
		if i.file.member(field.Name) == member {
			at = field.Position
			break
		}
	}
	wrong := rows.Errorf(at, format, args...)
	if member != "" {
		wrong.Member = i.file.kind.column(member)
	}
	i.faults = append(i.faults, wrong.Reason)
	i.file.Errors = append(i.file.Errors, wrong)
}

// LeaveOut removes the rows with errors from the file, and returns them as refused, in the order of the file.
func (f *File[T]) LeaveOut() (refused []*Row) {
	for _, wrong := range f.Errors[:f.unread] {
		hasPersonalData := func(field rows.Field) bool { return f.kind.Shown != nil && f.member(field.Name) != f.kind.ID }
		refused = append(refused, &Row{
			Line: wrong.Line, Outcome: effect.Refused, Detail: wrong.Reason, isImport: f.kind.ID == "externalId",
			fields: slices.DeleteFunc(wrong.Fields, hasPersonalData),
		})
	}
	items := f.Items
	f.Items, f.Rows, f.Errors, f.unread = nil, nil, nil, 0
	for _, item := range items {
		if len(item.faults) == 0 {
			f.Items, f.Rows = append(f.Items, item), append(f.Rows, &item.Row)
			continue
		}
		item.Outcome, item.Detail = effect.Refused, strings.Join(item.faults, "; ")
		if item.ContactID == "" { // of a contact that does not exist
			item.Beneficiary = ""
		}
		refused = append(refused, &item.Row)
	}
	return refused
}

// A File is a file of rows in memory. Later changes to the file itself do not matter.
type File[T any] struct {
	Items  []*Item[T]
	Rows   []*Row // those of the items
	Errors rows.Errors
	// Columns are the columns of the input, by their names in the report.
	Columns []string
	// BatchID identifies the content. It is the same on every machine, whatever the line ends and the encoding.
	BatchID string

	kind    Format[T]
	unread  int // errors of rows that are not items
	name    string
	members map[string]string // by the names of their columns
	lines   map[string]int    // by the texts of the format's ID
}

// column returns the name of a member as a column: externalId is external_id. Metadata keeps its names.
func (k *Format[T]) column(member string) string {
	if name, differs := k.Columns[member]; differs || strings.HasPrefix(member, metadataPrefix) {
		return cmp.Or(name, member)
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

// Members are the columns that a file may have or be mapped to.
func (k *Format[T]) Members() rows.Members {
	all := rows.Members{Prefix: metadataPrefix, Aliases: map[string]string{}, Required: []string{k.column(k.ID)}}
	for _, member := range k.names() {
		all.Names = append(all.Names, k.column(member))
	}
	for alias, member := range k.Aliases {
		all.Aliases[alias] = k.column(member)
	}
	for _, m := range k.Op.Body.Members {
		if m.Required && m.Name != k.ID {
			all.Required = append(all.Required, k.column(m.Name))
		}
		if m.Name == "amount" {
			all.Amount, all.Required = m.Name, append(all.Required, m.Name)
		}
	}
	return all
}

// names lists the members that have columns, without metadata. Members of an object are like address.city.
func (k *Format[T]) names() (names []string) {
	for _, m := range k.Op.Body.Members {
		if name, differs := k.Columns[m.Name]; differs && name == "" {
			continue
		}
		if m.Schema.Type != contract.Object {
			names = append(names, m.Name)
		} else if m.Schema.Values == nil {
			for _, inner := range m.Schema.Members {
				names = append(names, m.Name+"."+inner.Name)
			}
		}
	}
	return names
}

// Read checks each row of the file with that name, without the service.
func Read[T any](name string, read *rows.File, kind Format[T]) *File[T] {
	f := &File[T]{
		Errors: read.Errors, Columns: read.Columns, BatchID: "bat_" + hex.EncodeToString(read.Sum[:13]),
		kind: kind, unread: len(read.Errors), name: filepath.Base(name), members: map[string]string{},
		lines: map[string]int{},
	}
	if len(read.Rows)+len(read.Errors) == 0 {
		f.Errors = rows.Errors{rows.Errorf(rows.Position{Line: 1, Column: 1}, "the file has no rows")}
	}
	for _, member := range kind.names() {
		f.members[kind.column(member)] = member
	}
	for _, row := range read.Rows {
		f.add(row)
	}
	return f
}

// member is the member of a column. Metadata keeps its names.
func (f *File[T]) member(column string) string { return cmp.Or(f.members[column], column) }

func (f *File[T]) add(read rows.Row) {
	item := &Item[T]{Row: Row{Line: read.Line, fields: read.Fields, isImport: f.kind.ID == "externalId"}, file: f}
	item.newWrite = func() *outbox.Write {
		write := f.kind.Write(item.Request)
		if write.Pending.File = f.name; item.payee != nil {
			write.SetPayee(*item.payee)
		}
		return write
	}
	f.Items, f.Rows = append(f.Items, item), append(f.Rows, &item.Row)
	body := f.body(item.fields)
	known := maps.Clone(body)
	// the mapping has checked the other members
	maps.DeleteFunc(known, func(name string, _ any) bool { return !f.kind.Op.Body.Has(name) })
	// Validate reports invalid UTF-8
	encoded, _ := json.Marshal(known, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	report, err := contract.Validate(f.kind.Op.Body, encoded)
	if err != nil {
		item.Wrong("", "%v", err)
		return
	}
	failed := payments.FieldErrors{}
	maps.Copy(failed, report.Errors)
	for _, member := range f.kind.Named {
		if name, isText := body[member].(string); isText && name != "" {
			delete(failed, member)
		}
	}
	encoded, _ = json.Marshal(body, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err := json.Unmarshal(encoded, &item.Request); err == nil {
		for field, messages := range f.kind.Check(&item.Request) {
			if failed[field] == nil {
				failed[field] = messages
			}
		}
	}
	for _, field := range failed.Names() {
		for _, message := range failed[field] {
			item.Wrong(field, "%s", strings.Replace(message, "The "+field+" field", f.kind.column(field), 1))
		}
	}
	f.checkID(item, body[f.kind.ID])
	for _, name := range f.kind.Needs {
		if body[name] == nil || body[name] == "" {
			item.Wrong(name, "%s is missing: the profile says that the service needs it", name)
		}
	}
	if f.kind.Shown != nil {
		shown := map[string]string{}
		f.texts(shown, "", f.kind.Shown(item.Request))
		for i := range item.fields {
			item.fields[i].Text = shown[item.fields[i].Name]
		}
	}
}

// checkID checks the member that makes a row repeatable. One that is not a text has an error already.
func (f *File[T]) checkID(item *Item[T], value any) {
	id, isText := value.(string)
	name := f.kind.column(f.kind.ID)
	switch first, twice := f.lines[id]; {
	case !isText && value != nil:
	case id == "":
		item.Wrong(f.kind.ID, "%s is missing: it is your own name for the row, so that it is made only once; "+
			"--map %s=COLUMN takes it from another column", name, name)
	case payments.ReferenceFault(id) != "":
		item.Wrong(f.kind.ID, "%s %s", name, payments.ReferenceFault(id))
	case twice:
		item.Wrong(f.kind.ID, "%s %q is in line %d already", name, id, first)
		item.newWrite = nil // what was sent under the name is the other row
	default:
		f.lines[id] = item.Line
	}
}

// body returns the members of a request from fields.
func (f *File[T]) body(fields []rows.Field) map[string]any {
	body := map[string]any{}
	for _, field := range fields {
		to, member := body, f.member(field.Name)
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

// texts adds the texts of a JSON object by column.
func (f *File[T]) texts(all map[string]string, prefix string, value any) {
	fields, _ := payments.Document(value) // values of the contract can always be encoded
	for name, value := range fields {
		if inner, isObject := value.(map[string]any); isObject {
			f.texts(all, prefix+name+".", inner)
		} else {
			all[f.kind.column(prefix+name)] = fmt.Sprint(value)
		}
	}
}
