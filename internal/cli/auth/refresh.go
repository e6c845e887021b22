package auth

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/ui"
)

func newRefresh(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:     "refresh",
		Short:   "Fetch a new token with the stored secret",
		Long:    "Fetch a new token with the stored secret. If that fails, the login stays as it is.",
		Example: "  payctl auth refresh",
		Args:    cmdutil.Args(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return refresh(cmd.Context(), d) },
	}
}

func refresh(ctx context.Context, d *cmdutil.Deps) error {
	return withSession(ctx, d, func(session cmdutil.Session, printer *ui.Printer) error {
		if err := session.Refresh(ctx); err != nil {
			return err
		}
		result := struct {
			Refreshed bool `json:"refreshed"`
		}{true}
		return d.Done(printer, result, "The token has been renewed.")
	})
}
