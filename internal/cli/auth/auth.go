// Package auth implements `payctl auth`.
package auth

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// Deps are what the commands of credentials are given.
type Deps struct {
	*cmdutil.Deps
	// Stores are all credential stores, the one that the settings name first.
	Stores func() ([]keystore.Store, error)
	// Session finds the credentials with which calls are made, by the token operation at the settings' base URL.
	Session func() (*auth.Source, error)
}

// New returns the command.
func New(d *Deps) *cobra.Command {
	return cmdutil.Group("auth", "Log in and out", newLogin(d), newStatus(d), newToken(d), newLogout(d))
}

// placeholder is sent to the client as a credential. --curl shows a variable in its place, so no real one is needed.
const placeholder = "placeholder"

// showCall has --curl show the call of a token operation.
func showCall(d *Deps, call func(payments.Tokens) error) error {
	session, err := d.Session()
	if err != nil {
		return err
	}
	return call(session.Tokens)
}

func newToken(d *Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "token",
		Short: "Print an access token that works",
		Long:  "Print an access token for other programs, renewed if necessary. It is a secret: keep it out of logs.",
		Example: `  curl -q --noproxy '*' -H "Authorization: Bearer $(payctl auth token)" http://127.0.0.1:8700/accounts/v1
  PAYCTL_TOKEN=$(payctl auth token) ./nightly-job`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
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
			return d.PrintText(printer, "access_token", text, ui.Sanitize)
		},
	}
}
