package events

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

func newCursor(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "cursor",
		Short: "Print the cursor at the end of the feed",
		Long: `Print the cursor at the end of the feed. Who takes it, then reads the present states, then follows the feed from it,
misses nothing that happens in between.`,
		Example: `  CURSOR=$(payctl events cursor)
  payctl transfer list --all -o ndjson >states.ndjson
  payctl events tail --after "$CURSOR"`,
		Args: deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return cursor(cmd.Context(), d) },
	}
}

func cursor(ctx context.Context, d *deps.Deps) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	page, err := service.ListEvents(ctx, payments.EventFilter{After: payments.LatestEvent, Limit: 1})
	if err != nil {
		return err
	}
	if printer.Format() == term.FormatTable {
		return d.Line(term.Text(page.Cursor)) // for $(…)
	}
	value := struct {
		Cursor string `json:"cursor"`
	}{page.Cursor}
	return printer.Print(value, func() term.View {
		return term.Table{Columns: []term.Column{{Header: "Cursor"}}, Rows: [][]term.Cell{{term.Text(page.Cursor)}}}
	})
}
