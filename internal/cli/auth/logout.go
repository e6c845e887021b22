package auth

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

func newLogout(d *cmdutil.Deps, c Credentials) *cobra.Command {
	return &cobra.Command{
		Use:   "logout",
		Short: "Revoke the token and delete the login",
		Long: `Revoke the token, if the service can be reached, and delete the profile's login at its host from
every credential store, even if the profile uses another one now.`,
		Example: "  payctl auth logout",
		RunE:    func(cmd *cobra.Command, _ []string) error { return logout(cmd.Context(), d, c) },
	}
}

// logoutResult is what `auth logout` prints for programs.
type logoutResult struct {
	Profile   string `json:"profile"`
	Origin    string `json:"origin"`
	Forgotten bool   `json:"forgotten"` // there was a login, and it is deleted
	Revoked   bool   `json:"revoked"`   // the service has revoked the token
}

func logout(ctx context.Context, d *cmdutil.Deps, c Credentials) error {
	if d.Options.Curl {
		return c.showCall(func(tokens payments.Tokens) error { return tokens.RevokeAccessToken(ctx, placeholder) })
	}
	resolved, err := d.Settings()
	if err != nil {
		return err
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	stores, err := c.Stores()
	if err != nil {
		return err
	}
	result := logoutResult{Profile: resolved.Profile, Origin: resolved.Origin}
	key := auth.Key(resolved)
	var failures, absent error // a keyring that is not there has no login
	for i, store := range stores {
		switch err := revokeAndDelete(ctx, d, c, store, key, &result); {
		case !errors.Is(err, keystore.ErrAbsent):
			failures = errors.Join(failures, err)
		case i == 0:
			absent = err
		}
	}
	if failures != nil {
		return failures
	}
	if absent != nil && !result.Forgotten {
		return cmdutil.Hint(absent, shell.Payctl("auth logout --credential-store file").With("or "+keystore.FindKeyring))
	}
	if !result.Forgotten {
		return d.Done(printer, result, "There is no login for %s; nothing to delete.", key)
	}
	if err := d.Done(printer, result, "Logged out of %s (profile %s).", resolved.Origin, resolved.Profile); err != nil {
		return err
	}
	if d.Getenv(settings.EnvToken) != "" {
		d.Warnf("%s is still set, and commands use it.", settings.EnvToken)
	}
	return nil
}

// revokeAndDelete revokes the token of the login in one store and deletes the login, if there is one.
func revokeAndDelete(
	ctx context.Context, d *cmdutil.Deps, c Credentials, store keystore.Store, key keystore.Key, result *logoutResult,
) error {
	// A process that is renewing the login finishes first, and the next one finds no login.
	defer store.Lock(ctx)()
	stored, err := store.Get(ctx, key)
	switch {
	case errors.Is(err, keystore.ErrNotFound):
		return nil // without a Delete, which would delete a login stored in between, whose token is not revoked
	case errors.Is(err, keystore.ErrCorrupt):
		d.Warnf("The stored login cannot be read, so its token is not revoked.")
	case err != nil:
		return err
	case stored.AccessToken != "":
		session, err := c.Session()
		if err == nil {
			err = session.Tokens.RevokeAccessToken(ctx, stored.AccessToken)
		}
		switch {
		case err == nil:
			result.Revoked = true
		case !payments.IsProblem(err, payments.ProblemUnauthenticated): // else the service does not know it, or no longer
			d.Warnf("The token could not be revoked and works until it expires: %v", err)
		}
	}
	if err := store.Delete(ctx, key); err != nil {
		return err
	}
	result.Forgotten = true
	return nil
}
