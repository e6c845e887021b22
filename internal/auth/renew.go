package auth

import (
	"context"
	"errors"
	"time"

	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/payments"
)

// renewAndWarn replaces a token that no longer works. If the new one cannot be stored, it warns and this process still
// uses it: a command that watches for hours must not end because the screen, and with it the keyring, was locked.
func (s *Source) renewAndWarn(ctx context.Context) (string, error) {
	storeErr, err := s.renew(ctx)
	if err != nil {
		return "", err
	}
	if storeErr != nil && s.Warn != nil {
		s.Warn(storeErr)
	}
	return s.login.AccessToken, nil
}

// renew gets a newer token: one that another process has stored meanwhile, or one from the service. If that fails, it
// changes neither this process's login nor the stored one. A lock lets one process at a time renew a stored login.
// Credentials from the environment are not stored. storeErr is a failure to store the new token.
func (s *Source) renew(ctx context.Context) (storeErr, err error) {
	if s.Settings.ClientSecret != "" {
		return nil, s.obtain(ctx)
	}
	store, err := s.Logins()
	if err != nil {
		return nil, err
	}
	key := Key(s.Settings)
	// Without the lock two processes may both renew. Both tokens work, and the later login stays stored.
	defer store.Lock(ctx)()
	stored, readErr := store.Get(ctx, key)
	switch {
	case errors.Is(readErr, keystore.ErrNotFound):
		// The user has logged out, and so has this process. It keeps its client id, which the journal uses for its
		// writes: unsent writes must not be sent as another client that logs in next.
		s.login = keystore.Login{ClientID: s.login.ClientID}
		return nil, s.notLoggedIn()
	case readErr != nil: // for example, the keyring has been locked
		return readErr, s.obtain(ctx)
	case stored.ClientID != s.login.ClientID: // another client has logged in; this process keeps its client
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

// obtain fetches a token for the client's secret. If that fails, it does not change the login.
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

// Obtain exchanges a client's id and secret for a login. now is the time of issue.
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
