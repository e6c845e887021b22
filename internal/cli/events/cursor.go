package events

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

func newCursor(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "cursor",
		Short: "Print the cursor at the end of the event feed",
		Long: `Print the cursor at the end of the event feed. To miss no change: take the cursor, read the present
states, then follow the feed from the cursor.`,
		Example: `  CURSOR=$(payctl events cursor)
  payctl transfer list --all -o ndjson >states.ndjson
  payctl events tail --after "$CURSOR"`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return cursor(cmd.Context(), d) },
	}
}

func cursor(ctx context.Context, d *cmdutil.Deps) error {
	printer, service, err := d.PrinterAndPayments(ctx)
	if err != nil {
		return err
	}
	page, err := service.ListEvents(ctx, payments.EventFilter{After: payments.LatestEvent, Limit: 1})
	if err != nil {
		return err
	}
	return d.PrintText(printer, "cursor", page.Cursor, ui.Sanitize)
}
