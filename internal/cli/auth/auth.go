// Package auth implements `payctl auth`.
package auth

import (
	"context"

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
	// Tokens is the token operation at the settings' base URL.
	Tokens func() (payments.Tokens, error)
	// Session finds the credentials with which calls are made.
	Session func() (*auth.Source, error)
}

// New returns the command.
func New(d *Deps) *cobra.Command {
	return cmdutil.Group("auth", "Log in and out", newLogin(d), newStatus(d), newToken(d), newLogout(d))
}

// withSession calls use with the session and a printer. With --curl it shows the call that fetches a token instead.
func withSession(
	ctx context.Context, d *Deps, use func(session *auth.Source, printer *ui.Printer) error,
) error {
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
	return use(session, printer)
}

// placeholder is sent to the client as a credential. --curl shows a variable in its place, so no real one is needed.
const placeholder = "placeholder"

// showExchange shows the call that exchanges a client's id and secret for a token.
func showExchange(ctx context.Context, d *Deps) error {
	return showTokenCall(d, func(tokens payments.Tokens) error {
		_, err := tokens.CreateAccessToken(ctx, placeholder, placeholder, payments.AccessTokenRequest{})
		return err
	})
}

func showTokenCall(d *Deps, call func(payments.Tokens) error) error {
	tokens, err := d.Tokens()
	if err != nil {
		return err
	}
	return call(tokens)
}
