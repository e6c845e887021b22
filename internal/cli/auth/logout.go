package auth

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/credential"
	"github.com/payctl/payctl/internal/payments"
)

func newLogout(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "logout",
		Short: "Revoke the token and forget the login",
		Long: `Revoke the token at the service, as far as it can be reached, and delete the login of the profile from the
credential store.`,
		Example: "  payctl auth logout",
		Args:    deps.Args(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return logout(cmd.Context(), d) },
	}
}

// logoutResult is what `auth logout` prints for programs.
type logoutResult struct {
	Profile   string `json:"profile"`
	Origin    string `json:"origin"`
	Forgotten bool   `json:"forgotten"` // there was a login
	Revoked   bool   `json:"revoked"`   // at the service
}

func logout(ctx context.Context, d *deps.Deps) error {
	if d.Options.Curl {
		return showTokenCall(d, func(tokens payments.Tokens) error { return tokens.RevokeAccessToken(ctx, placeholder) })
	}
	settings, err := d.Settings()
	if err != nil {
		return err
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	store, err := d.Logins()
	if err != nil {
		return err
	}
	result := logoutResult{Profile: settings.Profile, Origin: settings.Origin}
	key := credential.Key{Profile: settings.Profile, Origin: settings.Origin}
	stored, err := store.Get(ctx, key)
	switch {
	case errors.Is(err, credential.ErrNotFound):
		return d.Done(printer, result, "There is no login for %s; nothing to forget.", key)
	case errors.Is(err, credential.ErrCorrupt):
		d.Warnf("The stored login cannot be read; it is deleted without being revoked.")
	case err != nil:
		return err
	default:
		if err := revoke(ctx, d, stored.AccessToken); err != nil {
			d.Warnf("The token could not be revoked and works until it expires: %v", err)
		} else {
			result.Revoked = stored.AccessToken != ""
		}
	}
	if err := store.Delete(ctx, key); err != nil {
		return err
	}
	result.Forgotten = true
	if err := d.Done(printer, result, "Logged out of %s (profile %s).", settings.Origin, settings.Profile); err != nil {
		return err
	}
	if d.Getenv(config.EnvToken) != "" {
		d.Warnf("%s is still set and still used.", config.EnvToken)
	}
	return nil
}

func revoke(ctx context.Context, d *deps.Deps, token string) error {
	if token == "" {
		return nil
	}
	tokens, err := d.Tokens()
	if err != nil {
		return err
	}
	return tokens.RevokeAccessToken(ctx, token)
}
