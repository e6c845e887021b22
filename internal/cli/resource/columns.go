package resource

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/rows"
	"github.com/payctl/payctl/internal/ui"
)

// Columns are the flags --columns and --sort of a list.
type Columns struct{ names, sort []string }

// AddTo adds the flags, whose values are the names of columns.
func (c *Columns) AddTo(cmd *cobra.Command, names []string) {
	c.AddUnsortedTo(cmd, names)
	cmdutil.AddValues(cmd, &c.sort, "sort", "sort by these `COLUMNS`, -COLUMN in descending order, after all rows are read")
	cmdutil.Annotate(cmd, names, "sort")
}

// AddUnsortedTo adds the flags of a list that has one order.
func (c *Columns) AddUnsortedTo(cmd *cobra.Command, names []string) {
	cmdutil.AddValues(cmd, &c.names, "columns", "show these `COLUMNS` of a table or CSV")
	cmdutil.Annotate(cmd, names, "columns")
}

// Sorts reports whether --sort was given.
func (c *Columns) Sorts() bool { return len(c.sort) > 0 }

// isNamed reports whether a column has a name or header, in any letter case.
func isNamed(column ui.Column, given string) bool {
	given = rows.FoldColumn(given)
	return given == rows.FoldColumn(column.MachineName()) || given == rows.FoldColumn(column.Header)
}

// sortedRank is the rank of columns in --sort: higher than that of any other.
const sortedRank = 10

// chosen are the columns that flags choose, or else those of the format.
func (t Table[T]) chosen(flags Columns, format ui.Format) (Table[T], error) {
	all := t.in(format)
	if len(flags.names) > 0 {
		all = nil
	}
	for _, name := range flags.names {
		member, err := t.named("columns", name)
		if err != nil {
			return nil, err
		}
		all = append(all, member)
	}
	for i := range all {
		isSorted := func(by string) bool { return isNamed(all[i].Column, strings.TrimPrefix(by, "-")) }
		if slices.ContainsFunc(flags.sort, isSorted) {
			all[i].Rank = sortedRank
		}
	}
	return all, nil
}

// in are the columns that a format has if no others are chosen.
func (t Table[T]) in(format ui.Format) Table[T] {
	return slices.DeleteFunc(slices.Clone(t), func(m Member[T]) bool { return !m.In.has(format) })
}

// Print prints rows with the columns of the format. Empty is printed instead of a table without rows.
func (t Table[T]) Print(printer *ui.Printer, rows []T, empty string) error {
	s := newStream(printer, t.in(printer.Format()))
	s.stream.Empty, s.stream.Advice = empty, "use a wider terminal or -o csv"
	return errors.Join(s.WritePage(rows), s.Close())
}

// PrintReport prints a report: to a person as details, in JSON and YAML as a whole, and in other formats its rows.
func (t Table[T]) PrintReport(
	d *cmdutil.Deps, printer *ui.Printer, whole any, rows []T, view func() ui.Details,
) (forPerson bool, err error) {
	format := printer.Format()
	forPerson = d.OutTTY && format == ui.FormatTable
	if forPerson || format == ui.FormatJSON || format == ui.FormatYAML {
		return forPerson, printer.Print(whole, view)
	}
	return false, t.Print(printer, rows, "")
}

// A Stream shows rows as they come.
type Stream[T any] struct {
	stream *ui.Stream
	table  Table[T]
}

// Follow begins a list without an end, with the columns of the format.
func (t Table[T]) Follow(printer *ui.Printer) *Stream[T] {
	s := newStream(printer, t.in(printer.Format()))
	s.stream.Whole = true
	return s
}

func newStream[T any](printer *ui.Printer, table Table[T]) *Stream[T] {
	var columns []ui.Column
	for _, m := range table {
		columns = append(columns, m.Column)
	}
	return &Stream[T]{printer.Stream(columns), table}
}

// WritePage shows a page of rows.
func (s *Stream[T]) WritePage(rows []T) error {
	var values []any
	var cells [][]ui.Cell
	for _, row := range rows {
		values, cells = append(values, row), append(cells, s.table.Cells(row))
	}
	return s.stream.WritePage(values, cells)
}

// Close ends the list.
func (s *Stream[T]) Close() error { return s.stream.Close() }

// named returns the member whose column has a name or a header, or whose flag has it, in any letter case.
func (t Table[T]) named(flag, name string) (Member[T], error) {
	for _, m := range t {
		if isNamed(m.Column, name) || m.Flag != "" && rows.FoldColumn(m.Flag) == rows.FoldColumn(name) {
			return m, nil
		}
	}
	return Member[T]{}, cmdutil.CheckValue("--"+flag, name, t.Names())
}

// order returns the order of rows by columns. Nil means that of the service.
func (t Table[T]) order(names []string) (func(a, b T) int, error) {
	var keys []func(a, b T) int
	for _, name := range names {
		name, descending := strings.CutPrefix(name, "-")
		member, err := t.named("sort", name)
		if err == nil && member.SortBy != "" {
			member, err = t.named("sort", member.SortBy)
		}
		if err != nil {
			return nil, err
		}
		keys = append(keys, func(a, b T) int {
			return compareCells(member.Show(a), member.Show(b), member.Right, descending)
		})
	}
	if keys == nil {
		return nil, nil
	}
	return func(a, b T) int {
		for _, key := range keys {
			if c := key(a, b); c != 0 {
				return c
			}
		}
		return 0
	}, nil
}

// compareCells compares times as times, numbers as decimals and the rest as texts. Absent values come last in both
// directions.
func compareCells(a, b ui.Cell, numbers, descending bool) int {
	absent := func(c ui.Cell) int {
		if c.Absent || c.Text == "" {
			return 1
		}
		return 0
	}
	if c := absent(a) - absent(b); c != 0 {
		return c
	}
	c := cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.Text, b.Text))
	if numbers {
		x, failedX := money.ParseDecimal(cmp.Or(a.Exact, a.Text))
		y, failedY := money.ParseDecimal(cmp.Or(b.Exact, b.Text))
		if failedX == nil && failedY == nil {
			c = x.Cmp(y)
		}
	}
	if descending {
		return -c
	}
	return c
}
