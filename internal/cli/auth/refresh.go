package auth

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
)

func newRefresh(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:     "refresh",
		Short:   "Fetch a new token with the stored secret",
		Long:    "Fetch a new token with the stored secret. When that fails, the login stays as it was.",
		Example: "  payctl auth refresh",
		Args:    deps.Args(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return refresh(cmd.Context(), d) },
	}
}

func refresh(ctx context.Context, d *deps.Deps) error {
	if d.Options.Curl {
		return showExchange(ctx, d)
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	session, err := d.Session()
	if err != nil {
		return err
	}
	if err := session.Refresh(ctx); err != nil {
		return err
	}
	result := struct {
		Refreshed bool `json:"refreshed"`
	}{true}
	return d.Done(printer, result, "The token is new.")
}
