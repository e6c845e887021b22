package auth

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/term"
)

func newToken(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "token",
		Short: "Print an access token that works",
		Long:  "Print an access token that works, renewed if need be, for use with other programs. It is a secret: keep it out of logs.",
		Example: `  curl -H "Authorization: Bearer $(payctl auth token)" http://127.0.0.1:8700/accounts/v1
  PAYCTL_TOKEN=$(payctl auth token) ./nightly-job`,
		Args: deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return token(cmd.Context(), d) },
	}
}

func token(ctx context.Context, d *deps.Deps) error {
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
	text, err := session.Token(ctx)
	if err != nil {
		return err
	}
	if printer.Format() == term.FormatTable {
		if d.OutTTY {
			text = term.Sanitize(text)
		}
		_, err = fmt.Fprintln(d.Out, text)
		return err
	}
	return printer.Print(map[string]string{"access_token": text}, func() term.View {
		return term.Details{{Label: "access_token", Cells: []term.Cell{term.Text(text)}}}
	})
}
