package cmdutil

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// List are the flags of every list command: how many rows, and from when.
type List struct {
	Limit        int
	All          bool
	CreatedAfter Moment
}

// AddTo adds the flags.
func (l *List) AddTo(cmd *cobra.Command) {
	cmd.Flags().IntVar(&l.Limit, "limit", 20, "show at most `N`, newest first")
	cmd.Flags().BoolVar(&l.All, "all", false, "show all")
	cmd.Flags().Var(&l.CreatedAfter, "created-after",
		"only those created after `TIME` (RFC 3339, a date, or a duration ago such as 24h)")
	cmd.MarkFlagsMutuallyExclusive("limit", "all")
}

// PrintList prints rows page by page as they arrive. When a page fails after others, their output stays valid.
func PrintList[T any](ctx context.Context, d *Deps, l List, columns []ui.Column, empty string,
	fetch func(payments.PageQuery) (rows []T, next *string, err error), row func(T) []ui.Cell) error {
	if l.Limit < 1 && !l.All {
		return Usage("--limit must be 1 or more")
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	stream := printer.Stream(columns)
	stream.Empty = empty
	shown := 0
	var guard payments.PageGuard
	query := payments.PageQuery{CreatedAfter: l.CreatedAfter.At(d.Now())}
	for {
		query.Limit = payments.LargestPage
		if !l.All {
			query.Limit = min(payments.LargestPage, l.Limit-shown)
		}
		rows, next, err := fetch(query)
		if err != nil {
			if shown > 0 {
				_ = stream.Close() // err says more than a failure to end the output
			}
			return err
		}
		page := Rows{}
		for _, r := range rows {
			page.Add(r, row(r))
		}
		if err := stream.WritePage(page.Values, page.Cells); err != nil {
			return err
		}
		shown += len(rows)
		if next == nil || !l.All && shown >= l.Limit {
			return stream.Close()
		}
		if err := guard.Step(len(rows), *next); err != nil {
			_ = stream.Close()
			return err
		}
		query.Cursor = *next
	}
}

// Rows are values with the cells that show them.
type Rows struct {
	Values []any
	Cells  [][]ui.Cell
}

// Add appends a value.
func (r *Rows) Add(value any, cells []ui.Cell) {
	r.Values, r.Cells = append(r.Values, value), append(r.Cells, cells)
}
