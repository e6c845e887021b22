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
		Long: `Revoke the token at the service, as far as it can be reached, and delete the login of the profile at its origin
from every credential store, also from the one that the profile does not use now.`,
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
	stores, err := d.Stores()
	if err != nil {
		return err
	}
	result := logoutResult{Profile: settings.Profile, Origin: settings.Origin}
	key := credential.Key{Profile: settings.Profile, Origin: settings.Origin}
	var failures error
	for i, store := range stores {
		err := forget(ctx, d, store, key, &result)
		if i > 0 && unlikely(store, key, err) {
			if !errors.Is(err, credential.ErrAbsent) {
				d.Warnf("Whether the %s holds a login as well is not known: %v", storeName(store), err)
			}
			err = nil
		}
		failures = errors.Join(failures, err)
	}
	if failures != nil {
		return failures
	}
	if !result.Forgotten {
		return d.Done(printer, result, "There is no login for %s; nothing to forget.", key)
	}
	if err := d.Done(printer, result, "Logged out of %s (profile %s).", settings.Origin, settings.Profile); err != nil {
		return err
	}
	if d.Getenv(config.EnvToken) != "" {
		d.Warnf("%s is still set and still used.", config.EnvToken)
	}
	return nil
}

// unlikely says whether a failure of a store that the profile does not use now is no reason to fail: nothing is known to
// have been stored there.
func unlikely(store credential.Store, key credential.Key, err error) bool {
	remembering, ok := store.(credential.Owned)
	return err != nil && ok && !remembering.Stored(key)
}

// forget revokes and deletes the login of one store. One that is not there is none to forget.
func forget(ctx context.Context, d *deps.Deps, store credential.Store, key credential.Key, result *logoutResult) error {
	// A process that is renewing the login does that first, and the next one finds none.
	if shared, ok := store.(credential.Sharer); ok {
		if release, err := shared.Turn(ctx, key); err == nil {
			defer release()
		}
	}
	stored, err := store.Get(ctx, key)
	switch {
	case errors.Is(err, credential.ErrNotFound):
		// Nothing is deleted: that would be a login that came in between, whose token nobody had revoked. But what one that was
		// killed left half-done is forgotten, too.
		if littered, ok := store.(credential.Littered); ok {
			return littered.RemoveLeftover(ctx, key)
		}
		return nil
	case errors.Is(err, credential.ErrCorrupt):
		d.Warnf("The stored login cannot be read; it is deleted without being revoked.")
	case err != nil:
		return err
	default:
		if err := revoke(ctx, d, stored.AccessToken); err != nil {
			d.Warnf("The token could not be revoked and works until it expires: %v", err)
		} else {
			result.Revoked = result.Revoked || stored.AccessToken != ""
		}
	}
	if err := store.Delete(ctx, key); err != nil {
		return err
	}
	result.Forgotten = true
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
