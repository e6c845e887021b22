// Package auth implements `payctl auth`.
package auth

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command.
func New(d *cmdutil.Deps) *cobra.Command {
	return cmdutil.Group("auth", "Log in and out", newLogin(d), newStatus(d), newToken(d), newLogout(d))
}

// withSession calls use with the session and a printer. With --curl it shows the call that fetches a token instead.
func withSession(
	ctx context.Context, d *cmdutil.Deps, use func(session cmdutil.Session, printer *ui.Printer) error,
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
func showExchange(ctx context.Context, d *cmdutil.Deps) error {
	return showTokenCall(d, func(tokens payments.Tokens) error {
		_, err := tokens.CreateAccessToken(ctx, placeholder, placeholder, payments.AccessTokenRequest{})
		return err
	})
}

func showTokenCall(d *cmdutil.Deps, call func(payments.Tokens) error) error {
	tokens, err := d.Tokens()
	if err != nil {
		return err
	}
	return call(tokens)
}
