// Package resource is tables over the documents of a service: the members of a resource with their titles, columns and
// filters, of which lists, details, sorting and completion are made.
package resource

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// A Member of a T has a column in lists, and a line in its details.
type Member[T any] struct {
	ui.Column
	// At is where the member is in the JSON of a T, such as source/amount. Empty means the name of the column.
	At string
	// In are the formats that have the column if --columns does not choose others.
	In Formats
	// SortBy names the column whose values give the order by this one. Empty means this one.
	SortBy string
	// Cell shows the column. Nil means the member as its type is shown.
	Cell func(T) ui.Cell
	// Flag is the member's flag, and another name for its column in a file that is imported. Usage is its help in
	// create and update, where it sets the member. Filter is its help in a list, where it selects rows. Empty means
	// that it does not.
	Flag, Usage, Filter string
	// Section is the heading of the flag in the help of a creation. Empty means that of all flags.
	Section string
	// Update is what an update may do with the member.
	Update Mutability
}

// A Mutability is what an update may do with a member.
type Mutability int

// The changes that an update may make.
const (
	Fixed      Mutability = iota // nothing: only a creation sets it
	Changeable                   // change it
	Removable                    // change it, or remove it by --clear
)

// A Table has the members of a resource.
type Table[T any] []Member[T]

// Formats are the formats that have a column.
type Formats int

// The formats that a column may be in.
const (
	InBoth Formats = iota
	InTable
	InCSV
	IfAsked
	PartOf    // as IfAsked, and not in the details either: another column has it in it
	PartInCSV // as InCSV, and not in the details
)

// has reports whether a format has the column.
func (in Formats) has(format ui.Format) bool {
	isCSV := format == ui.FormatCSV
	return in == InBoth || isCSV && (in == InCSV || in == PartInCSV) || !isCSV && in == InTable
}

// Names are the names of the columns.
func (t Table[T]) Names() (names []string) {
	for _, m := range t {
		names = append(names, m.MachineName())
	}
	return names
}

// Cells shows a row. A member that a T does not have, or cannot read, is shown as it came.
func (t Table[T]) Cells(row T) (all []ui.Cell) {
	var unread []int
	for i, m := range t {
		all = append(all, m.Show(row))
		if all[i].Text == "" || all[i].Absent {
			unread = append(unread, i)
		}
	}
	received, ok := any(row).(ui.Received)
	if !ok || len(unread) == 0 {
		return all
	}
	members, _ := effect.Object(received.Received())
	for _, i := range unread {
		if text := members.Text(t[i].MachineName()); text != "" {
			all[i] = ui.Text(text)
		}
	}
	return all
}

// Details shows all members of one thing that it has, the first one most of all.
func (t Table[T]) Details(of T) (view ui.Details) {
	for i, cell := range t.Cells(of) {
		switch {
		case i == 0:
			cell.Tone = ui.Bold
		case cell.Exact != "":
			cell.Text = cell.Exact
		case cell.Absent || cell.Text == "" || t[i].In >= PartOf:
			continue
		}
		view = append(view, ui.Field{Label: t[i].Header, Cells: []ui.Cell{cell}})
	}
	return view
}

// Member returns the member whose column has a name; the zero Member if there is none.
func (t Table[T]) Member(name string) (found Member[T]) {
	for _, m := range t {
		if m.MachineName() == name {
			found = m
		}
	}
	return found
}

// Show is the cell of a row.
func (m Member[T]) Show(row T) ui.Cell {
	if m.Cell != nil {
		return m.Cell(row)
	}
	return show(find(reflect.ValueOf(row), m.at()))
}

// at is where the member is in the JSON of a T.
func (m Member[T]) at() string { return cmp.Or(m.At, m.MachineName()) }

// Text is the text of a member at a place.
func Text[T any](row T, at string) string {
	if cell := show(find(reflect.ValueOf(row), at)); !cell.Absent {
		return cell.Text
	}
	return ""
}

// FilterText adds the flag of a member that selects the rows with a text there.
func (t Table[T]) FilterText(cmd *cobra.Command, at *string, member string) {
	m := t.Member(member)
	cmd.Flags().StringVar(at, m.Flag, "", m.Filter)
}

// FilterValues adds the flag of a member that selects the rows with one of several values there.
func FilterValues[T any, V ~string](t Table[T], cmd *cobra.Command, at *[]V, member string) {
	m := t.Member(member)
	cmdutil.AddValues(cmd, at, m.Flag, m.Filter)
}

// find returns the value at a place, by the names that its type has in JSON. It is invalid if there is none.
func find(value reflect.Value, at string) reflect.Value {
	for name := range strings.SplitSeq(at, "/") {
		if value = reflect.Indirect(value); !value.IsValid() {
			return value
		}
		index := fieldOf(value.Type(), name)
		if index == nil {
			return reflect.Value{}
		}
		var err error
		if value, err = value.FieldByIndexErr(index); err != nil {
			return reflect.Value{}
		}
	}
	return reflect.Indirect(value)
}

type memberName struct {
	of   reflect.Type
	name string
}

var fields sync.Map // the index of a memberName

// fieldOf returns the index of the field of a struct that has a name in JSON. Nil means that there is none.
func fieldOf(of reflect.Type, name string) []int {
	key := memberName{of, name}
	if index, known := fields.Load(key); known {
		return index.([]int)
	}
	var index []int
	for _, field := range reflect.VisibleFields(of) {
		if tag, _, _ := strings.Cut(field.Tag.Get("json"), ","); tag == name &&
			(index == nil || len(field.Index) < len(index)) {
			index = field.Index
		}
	}
	fields.Store(key, index)
	return index
}

// show shows a value as its type is shown.
func show(value reflect.Value) ui.Cell {
	if !value.IsValid() {
		return ui.Optional("")
	}
	switch v := value.Interface().(type) {
	case payments.KYCStatus:
		return cmdutil.KYCStatus(v)
	case payments.TransferState:
		return cmdutil.TransferState(v)
	case payments.Metadata:
		return cmdutil.MetadataCell(v)
	case money.Decimal:
		return ui.Text(v.String())
	case time.Time:
		if v.IsZero() {
			return ui.Optional("")
		}
		return cmdutil.TimeCell(v)
	case int:
		return ui.Text(strconv.Itoa(v))
	}
	if value.Kind() == reflect.String {
		return ui.Optional(value.String())
	}
	return ui.Optional("")
}
