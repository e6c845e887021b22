package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/payctl/payctl/internal/credential"
)

// replace replaces a token that no longer works. A new one that cannot be stored is used by this process alone, and that is
// told: a watch of hours must not end because the screen was locked, and the keyring with it.
func (s *Source) replace(ctx context.Context) error {
	unkept, err := s.renew(ctx, true)
	if err == nil && unkept != nil && s.Warn != nil {
		s.Warn(unkept)
	}
	return err
}

// renew gets a newer token: one that another process has stored meanwhile, if that will do, or else with the client's secret
// from the service. When that fails, both this process's login and the stored one stay as they are. Of several processes
// one at a time renews a stored login. Credentials of the environment stay in this process.
//
// The first error says why a token that was got could not be stored.
func (s *Source) renew(ctx context.Context, adopt bool) (unkept, err error) {
	if s.Settings.ClientSecret != "" {
		return nil, s.obtain(ctx)
	}
	store, err := s.Logins()
	if err != nil {
		return nil, err
	}
	if shared, ok := store.(credential.Sharer); ok {
		// Without a turn two processes may both renew, and the later one's login is kept. Each has a token that works.
		if release, err := shared.Turn(ctx, s.key()); err == nil {
			defer release()
		}
	}
	stored, reading := store.Get(ctx, s.key())
	switch {
	case errors.Is(reading, credential.ErrNotFound):
		// Somebody logged out, and that holds for this process as well. It does not forget who it is: what it has sent is
		// put down by that name, and what it has yet to send does not leave in the name of whoever logs in next.
		s.login = credential.Login{ClientID: s.login.ClientID}
		return nil, s.notLoggedIn()
	case reading != nil: // such as a keyring that was locked meanwhile
		return reading, s.obtain(ctx)
	case stored.ClientID != s.login.ClientID: // somebody logged in as another: this process stays who it is
		return nil, s.obtain(ctx)
	case stored.AccessToken != s.login.AccessToken:
		s.login = stored
		if adopt && s.usable() {
			return nil, nil
		}
	}
	if err := s.obtain(ctx); err != nil {
		return nil, err
	}
	return store.Set(ctx, s.key(), s.login), nil
}

// obtain fetches a token with the client's secret.
func (s *Source) obtain(ctx context.Context) error {
	switch {
	case s.login.ClientSecret != "":
	case s.login.AccessToken == "":
		return s.notLoggedIn()
	default:
		return fmt.Errorf("%w: the token for %s ended at %s", ErrExpired, s.Settings.Origin, s.login.ExpiresAt.UTC().Format(time.RFC3339))
	}
	fresh, err := Obtain(ctx, s.Tokens, s.Settings.Origin, s.login.ClientID, s.login.ClientSecret, s.Now())
	if err != nil {
		return err // the old login stays as it is
	}
	s.login = fresh
	return nil
}

func (s *Source) notLoggedIn() error {
	return fmt.Errorf("%w to %s with the profile %s", ErrNoCredential, s.Settings.Origin, s.Settings.Profile)
}
