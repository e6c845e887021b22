package resource

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/ui"
)

// List are the flags of every list command: how many rows, of which time, in which order, and their columns.
type List struct {
	Length
	cmdutil.Interval
	Columns
}

// AddTo adds the flags of a list with these columns.
func (l *List) AddTo(cmd *cobra.Command, columns []string) {
	l.Length.AddTo(cmd)
	l.Interval.AddTo(cmd)
	l.Columns.AddTo(cmd, columns)
}

// A Length is how many rows a list has, as flags say.
type Length struct {
	limit int
	all   bool
	flag  *pflag.Flag // of limit
}

// AddTo adds the flags.
func (l *Length) AddTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&l.limit, "limit", 0, "show at most `N`")
	f.BoolVar(&l.all, "all", false, "show all: other formats than a table do so without it")
	cmd.MarkFlagsMutuallyExclusive("limit", "all")
	l.flag = f.Lookup("limit")
}

// rowsOfTable are shown at a time, since a person does not read more.
const rowsOfTable = 20

// Most is how many rows are shown at most in a format. Zero means all, as where the command has no such flags. A
// program that reads a list must not get the first part of it without having asked for that.
func (l *Length) Most(format ui.Format) (int, error) {
	switch limited := l.flag != nil && l.flag.Changed; {
	case limited && l.limit < 1:
		return 0, cmdutil.Usage("--limit must be 1 or more")
	case limited:
		return l.limit, nil
	case l.all || l.flag == nil || format != ui.FormatTable:
		return 0, nil
	}
	return rowsOfTable, nil
}

// Help is the part of the help that all lists have in common.
const Help = `A table has 20 rows unless --limit or --all is given; other formats have all.
--sort reads all rows first.`

// A ListPrinter prints the rows of a list command, with the columns and in the order that its flags choose.
type ListPrinter[T any] struct {
	// Empty is the sentence in place of a table without rows.
	Empty string
	// Shown is what is shown of a row. Nil means all of it.
	Shown func(T) T
	// Order is the order without --sort. Nil means that of the service.
	Order func(a, b T) int
	// Complete reads what rows that are to be shown do not have yet. Nil means that they have all.
	Complete func([]T) error

	d      *cmdutil.Deps
	flags  List
	stream *Stream[T]
	sorted func(a, b T) int // of --sort; nil means not given
	most   int              // rows; zero means all
}

// NewListPrinter checks the flags of a list with the columns of a table.
func NewListPrinter[T any](ctx context.Context, d *cmdutil.Deps, flags List, table Table[T]) (*ListPrinter[T], error) {
	printer, err := d.Printer(ctx)
	if err != nil {
		return nil, err
	}
	chosen, err := table.chosen(flags.Columns, printer.Format())
	if err != nil {
		return nil, err
	}
	p := &ListPrinter[T]{d: d, flags: flags, stream: newStream(printer, chosen)}
	if p.sorted, err = table.order(flags.sort); err != nil {
		return nil, err
	}
	p.most, err = flags.Most(printer.Format())
	return p, err
}

// Print prints rows page by page as they arrive, or all together if they are to be sorted. When a page fails after
// others, their output stays valid.
func (p *ListPrinter[T]) Print(query *ListQuery[T]) error {
	if err := query.During(p.d, &p.flags.Interval); err != nil {
		return err
	}
	p.stream.stream.Empty, p.stream.stream.Advice = p.Empty, "use --columns or a wider terminal"
	shown := 0
	show := func(rows []T, _ bool) error {
		shown += len(rows)
		if p.Complete != nil {
			if err := p.Complete(rows); err != nil {
				return err
			}
		}
		if p.Shown != nil {
			for i := range rows {
				rows[i] = p.Shown(rows[i])
			}
		}
		return p.stream.WritePage(rows)
	}
	order := p.sorted
	if order == nil {
		order = p.Order
	}
	var more bool
	var err error
	if order == nil {
		more, err = query.Each(p.most, show)
	} else if all, failed := query.all(); failed != nil {
		err = failed
	} else {
		slices.SortStableFunc(all, order)
		if more = p.most > 0 && len(all) > p.most; more {
			all = all[:p.most]
		}
		err = show(all, true)
	}
	if err != nil {
		if shown > 0 {
			_ = p.stream.Close() // err says more than a failure to end the output
		}
		return err
	}
	if err := p.stream.Close(); err != nil {
		return err
	}
	if more {
		p.d.Notef("Showing %d; use --all or --limit N", shown)
	}
	return nil
}

// all returns all rows, of which there may be MostRead.
func (q *ListQuery[T]) all() (all []T, err error) {
	_, err = q.Each(0, func(rows []T, _ bool) error {
		if all = append(all, rows...); len(all) > MostRead {
			return q.TooManyRows("--sort reads all rows")
		}
		return nil
	})
	return all, err
}
