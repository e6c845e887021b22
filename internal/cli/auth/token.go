package auth

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/ui"
)

func newToken(d *Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "token",
		Short: "Print an access token that works",
		Long:  "Print an access token for other programs, renewed if necessary. It is a secret: keep it out of logs.",
		Example: `  curl -q --noproxy '*' -H "Authorization: Bearer $(payctl auth token)" http://127.0.0.1:8700/accounts/v1
  PAYCTL_TOKEN=$(payctl auth token) ./nightly-job`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return token(cmd.Context(), d) },
	}
}

func token(ctx context.Context, d *Deps) error {
	return withSession(ctx, d, func(session *auth.Source, printer *ui.Printer) error {
		text, err := session.Token(ctx)
		if err != nil {
			return err
		}
		return d.PrintText(printer, "access_token", text, ui.Sanitize)
	})
}
