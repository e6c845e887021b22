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

// Credentials are where the commands find logins and tokens.
type Credentials struct {
	// Stores are all credential stores, the one that the settings name first.
	Stores func() ([]keystore.Store, error)
	// Session finds the credentials with which calls are made, by the token operation at the settings' base URL.
	Session func() (*auth.Source, error)
}

// New returns the command.
func New(d *cmdutil.Deps, c Credentials) *cobra.Command {
	return cmdutil.Group("auth", "Log in and out", newLogin(d, c), newStatus(d, c), newToken(d, c), newLogout(d, c))
}

// placeholder is sent to the client as a credential. --curl shows a variable in its place, so no real one is needed.
const placeholder = "placeholder"

// showCall has --curl show the call of a token operation.
func (c Credentials) showCall(call func(payments.Tokens) error) error {
	session, err := c.Session()
	if err != nil {
		return err
	}
	return call(session.Tokens)
}

func newToken(d *cmdutil.Deps, c Credentials) *cobra.Command {
	return &cobra.Command{
		Use:   "token",
		Short: "Print an access token that works",
		Long:  "Print an access token for other programs, renewed if necessary. It is a secret: keep it out of logs.",
		Example: `  curl -q --noproxy '*' -H "Authorization: Bearer $(payctl auth token)" http://127.0.0.1:8700/accounts/v1
  PAYCTL_TOKEN=$(payctl auth token) ./nightly-job`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if d.Options.Curl {
				return c.showExchange(ctx)
			}
			printer, err := d.Printer(ctx)
			if err != nil {
				return err
			}
			session, err := c.Session()
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
