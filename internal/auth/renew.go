package auth

import (
	"context"
	"errors"
	"time"

	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/payments"
)

// renewAndWarn replaces a token that no longer works. If the new one cannot be stored, this process uses it all the
// same and warns: a watch of hours must not end because the screen was locked, and the keyring with it.
func (s *Source) renewAndWarn(ctx context.Context) (string, error) {
	storing, err := s.renew(ctx)
	if err != nil {
		return "", err
	}
	if storing != nil && s.Warn != nil {
		s.Warn(storing)
	}
	return s.login.AccessToken, nil
}

// renew gets a newer token: the one that another process has stored in the meantime, or else one from the
// service for the client's secret. If that fails, this process's login and the stored one stay as they are. A lock lets
// one process at a time renew a stored login. Credentials of the environment are not stored.
//
// The first error is why a new token could not be stored.
func (s *Source) renew(ctx context.Context) (storing, err error) {
	if s.Settings.ClientSecret != "" {
		return nil, s.obtain(ctx)
	}
	store, err := s.Logins()
	if err != nil {
		return nil, err
	}
	key := Key(s.Settings)
	// Without the lock two processes may both renew. Each then has a token that works, and the later login stays stored.
	defer store.Lock(ctx)()
	stored, reading := store.Get(ctx, key)
	switch {
	case errors.Is(reading, keystore.ErrNotFound):
		// The user has logged out, and so has this process. It keeps its client id: the journal names its writes by
		// that id, and writes that are still to be sent must not be sent as another client that logs in next.
		s.login = keystore.Login{ClientID: s.login.ClientID}
		return nil, s.notLoggedIn()
	case reading != nil: // such as a keyring that has been locked since
		return reading, s.obtain(ctx)
	case stored.ClientID != s.login.ClientID: // another client has logged in; this process stays the one that it is
		return nil, s.obtain(ctx)
	case stored.AccessToken != s.login.AccessToken:
		s.login = stored
		if s.isUsable() {
			return nil, nil
		}
	}
	if err := s.obtain(ctx); err != nil {
		return nil, err
	}
	return store.Set(ctx, key, s.login), nil
}

// obtain fetches a token for the client's secret. If that fails, the login stays as it is.
func (s *Source) obtain(ctx context.Context) error {
	if s.login.ClientSecret == "" {
		return s.notLoggedIn()
	}
	fresh, err := Obtain(ctx, s.Tokens, s.Settings.Origin, s.login.ClientID, s.login.ClientSecret, s.Now())
	if err != nil {
		return err
	}
	s.login = fresh
	return nil
}

// Obtain exchanges a client's id and secret for a login. now is when the token is issued.
func Obtain(
	ctx context.Context, tokens payments.Tokens, origin, clientID, clientSecret string, now time.Time,
) (keystore.Login, error) {
	token, err := tokens.CreateAccessToken(ctx, clientID, clientSecret, payments.AccessTokenRequest{})
	if err != nil {
		return keystore.Login{}, err
	}
	login := keystore.Login{
		Origin: origin, ClientID: clientID, ClientSecret: clientSecret,
		AccessToken: token.AccessToken, TokenType: token.TokenType, Scope: token.Scope, ObtainedAt: now,
	}
	if token.ExpiresIn > 0 {
		login.ExpiresAt = now.Add(time.Duration(token.ExpiresIn) * time.Second)
	}
	return login, nil
}
