package cmdutil

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/suggest"
	"github.com/payctl/payctl/internal/ui"
)

// A Column of a list shows one member of a T.
type Column[T any] struct {
	ui.Column
	// About describes the column in one line.
	About string
	// In are the formats that have the column if --columns does not choose others.
	In ColumnFormats
	// SortBy names the column whose values give the order by this one; empty: this one.
	SortBy string
	// Cell shows the member.
	Cell func(T) ui.Cell
}

// ColumnFormats are the formats that have a column.
type ColumnFormats int

// The formats that a column may be in.
const (
	InBoth ColumnFormats = iota
	InTable
	InCSV
	IfAsked
)

func (in ColumnFormats) String() string {
	return []string{"table, csv", "table", "csv", "if asked"}[in]
}

// has reports whether a format has the column.
func (in ColumnFormats) has(format ui.Format) bool {
	return in == InBoth || in == InCSV && format == ui.FormatCSV || in == InTable && format != ui.FormatCSV
}

// Columns is the --columns flag of a list.
type Columns struct{ names []string }

// allColumns is the value of --columns that lists them.
const allColumns = "help"

// AddTo adds the flag.
func (c *Columns) AddTo(cmd *cobra.Command) {
	AddValues(cmd, &c.names, "columns", "show these `COLUMNS` of a table or CSV; help lists them")
}

// AnnotationValues is the annotation of a flag with the values that it takes, for completion.
const AnnotationValues = "payctl:values"

// AnnotateColumns notes the columns of a list at the flags that take them.
func AnnotateColumns[T any](cmd *cobra.Command, columns []Column[T]) {
	var names []string
	for _, c := range columns {
		names = append(names, c.MachineName())
	}
	for _, name := range []string{"columns", "sort"} {
		if flag := cmd.Flags().Lookup(name); flag != nil {
			flag.Annotations = map[string][]string{AnnotationValues: names}
		}
	}
}

// A View is how a list of Ts is shown.
type View[T any] struct {
	printer *ui.Printer
	columns []Column[T]
	compare func(a, b T) int // nil: in the order of the service
}

// Format is the format in which the list is printed.
func (v *View[T]) Format() ui.Format { return v.printer.Format() }

// NewView checks the flags of a list with these columns, before anything is sent. It prints the columns and returns nil if
// --columns asks for that.
func NewView[T any](ctx context.Context, d *Deps, chosen Columns, sort Sort, columns []Column[T]) (*View[T], error) {
	printer, err := d.Printer(ctx)
	if err != nil {
		return nil, err
	}
	if slices.Contains(chosen.names, allColumns) {
		return nil, printColumns(printer, columns)
	}
	v := &View[T]{printer: printer}
	for _, name := range chosen.names {
		column, err := columnNamed(columns, "columns", name)
		if err != nil {
			return nil, err
		}
		v.columns = append(v.columns, column)
	}
	if len(chosen.names) == 0 {
		v.columns = columnsOf(columns, printer.Format())
	}
	v.compare, err = order(sort, columns)
	for i, c := range v.columns {
		if sort.isBy(c.MachineName(), c.Header) {
			v.columns[i].Rank = sortedRank
		}
	}
	return v, err
}

// sortedRank is the rank of the columns by which a list is sorted: higher than that of any other.
const sortedRank = 10

// isBy reports whether the flag names a column.
func (s Sort) isBy(name, header string) bool {
	return slices.ContainsFunc(s.names, func(given string) bool {
		given = rows.FoldColumn(strings.TrimPrefix(given, "-"))
		return given == rows.FoldColumn(name) || given == rows.FoldColumn(header)
	})
}

// columnsOf returns the columns that a format has.
func columnsOf[T any](columns []Column[T], format ui.Format) []Column[T] {
	return slices.DeleteFunc(slices.Clone(columns), func(c Column[T]) bool { return !c.In.has(format) })
}

// printColumns lists columns.
func printColumns[T any](printer *ui.Printer, columns []Column[T]) error {
	type line struct {
		Column      string `json:"column"`
		Shown       string `json:"shown"`
		Description string `json:"description"`
	}
	page := Rows{}
	for _, column := range columns {
		l := line{column.MachineName(), column.In.String(), column.About}
		page.Add(l, []ui.Cell{ui.Text(l.Column), ui.Text(l.Shown), ui.Text(l.Description)})
	}
	stream := printer.Stream([]ui.Column{{Header: "Column"}, {Header: "Shown", Name: "shown"}, {Header: "Description"}})
	if err := stream.WritePage(page.Values, page.Cells); err != nil {
		return err
	}
	return stream.Close()
}

// Order sorts rows as --sort asks for.
func (v *View[T]) Order(rows []T) {
	if v.compare != nil {
		slices.SortStableFunc(rows, v.compare)
	}
}

// Table shows rows in the columns that a format has.
func Table[T any](columns []Column[T], rows []T, format ui.Format, empty string) ui.Table {
	columns = columnsOf(columns, format)
	table := ui.Table{Columns: headers(columns), Empty: empty}
	for _, row := range rows {
		table.Rows = append(table.Rows, Cells(columns, row))
	}
	return table
}

// A Stream shows rows as they come.
type Stream[T any] struct {
	stream  *ui.Stream
	columns []Column[T]
}

// NewStream begins a list that shows all of the columns.
func NewStream[T any](printer *ui.Printer, columns []Column[T]) *Stream[T] {
	return &Stream[T]{printer.Stream(headers(columns)), columns}
}

// Stream begins the list; empty is the sentence in place of a table without rows.
func (v *View[T]) Stream(empty string) *Stream[T] {
	s := NewStream(v.printer, v.columns)
	s.stream.Empty = empty
	s.stream.Advice = "use --columns or a wider terminal"
	return s
}

// WritePage shows a page of rows; last reports that there is no other one.
func (s *Stream[T]) WritePage(rows []T, last bool) error {
	page := Rows{}
	for _, row := range rows {
		page.Add(row, Cells(s.columns, row))
	}
	s.stream.OnePage = last
	return s.stream.WritePage(page.Values, page.Cells)
}

// Close ends the list.
func (s *Stream[T]) Close() error { return s.stream.Close() }

// columnNamed returns the column with a name or a header, in any letter case.
func columnNamed[T any](columns []Column[T], flag, name string) (Column[T], error) {
	var names []string
	given := rows.FoldColumn(name)
	for _, c := range columns {
		if given == rows.FoldColumn(c.MachineName()) || given == rows.FoldColumn(c.Header) {
			return c, nil
		}
		names = append(names, c.MachineName())
	}
	err := Usage("--%s: there is no column %q", flag, name)
	if guess := suggest.Guess(name, names); guess != "" {
		return Column[T]{}, err.WithHint(shell.Hint("try GUESS instead; --columns help lists all columns", shell.Values{"GUESS": guess}))
	}
	isUnlike := func(n string) bool { return !strings.Contains(rows.FoldColumn(n), given) }
	if like := slices.DeleteFunc(names, isUnlike); len(like) > 0 {
		err.Detail += ". There are " + strings.Join(like, ", ")
	}
	return Column[T]{}, err.WithHint("--columns help lists all columns")
}

// headers are the columns for ui.
func headers[T any](columns []Column[T]) (all []ui.Column) {
	for _, c := range columns {
		all = append(all, c.Column)
	}
	return all
}

// Cells shows a row.
func Cells[T any](columns []Column[T], row T) (all []ui.Cell) {
	var document jsontext.Value
	if r, ok := any(row).(ui.Received); ok {
		document = r.Received()
	}
	var names []string
	var unread []int
	for i, c := range columns {
		all = append(all, c.Cell(row))
		if document != nil && (all[i].Text == "" || all[i].Absent) {
			names, unread = append(names, c.MachineName()), append(unread, i)
		}
	}
	if len(unread) == 0 {
		return all
	}
	for i, text := range payments.Texts(document, names...) { // a member whose form is not known is shown as it came
		if text != "" {
			all[unread[i]] = ui.Text(text)
		}
	}
	return all
}

// Sort is the --sort flag of a list.
type Sort struct{ names []string }

// AddTo adds the flag.
func (s *Sort) AddTo(cmd *cobra.Command) {
	AddValues(cmd, &s.names, "sort",
		"sort by these `COLUMNS`, -COLUMN in descending order, after all rows are read")
}

// Given reports whether the flag was given.
func (s *Sort) Given() bool { return len(s.names) > 0 }

// order returns the order of rows that the flag asks for; nil: that of the service.
func order[T any](s Sort, columns []Column[T]) (func(a, b T) int, error) {
	var keys []func(a, b T) int
	for _, name := range s.names {
		name, descending := strings.CutPrefix(name, "-")
		column, err := columnNamed(columns, "sort", name)
		if err == nil && column.SortBy != "" {
			column, err = columnNamed(columns, "sort", column.SortBy)
		}
		if err != nil {
			return nil, err
		}
		keys = append(keys, func(a, b T) int { return compareCells(column.Cell(a), column.Cell(b), column.Right, descending) })
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

// compareCells compares times as times, numbers as decimals and the rest as texts. Absent values come last in both directions.
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
		x, failedX := payments.ParseDecimal(a.Text)
		y, failedY := payments.ParseDecimal(b.Text)
		if failedX == nil && failedY == nil {
			c = x.Cmp(y)
		}
	}
	if descending {
		return -c
	}
	return c
}
