// Package session finds the credentials that calls are made with: a token of the environment, a client's id and secret
// of the environment, or a stored login; and renews what has run out.
package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/credential"
	"github.com/payctl/payctl/internal/payments"
)

// expiryMargin is how long before its expiry a token is no longer used, so that it does not run out on the way.
const expiryMargin = 10 * time.Second

// ErrNoCredential says that there is nothing to authenticate with.
var ErrNoCredential = errors.New("not logged in")

// ErrExpired says that the token ran out and that there is no secret to get another with.
var ErrExpired = errors.New("the login has expired")

// A Source gives tokens to a client and renews them. It is safe for concurrent use.
type Source struct {
	Settings config.Settings
	// Logins opens the credential store. It is not called when the environment has the credentials.
	Logins func() (credential.Store, error)
	// Warn is told why a renewed token could not be stored; nil: nobody is. The token is used all the same.
	Warn func(error)
	// Tokens is the token operation.
	Tokens payments.Tokens
	Now    func() time.Time
	// Learn is told every secret that a store gives; nil: nobody is.
	Learn func(secrets ...string)

	mu    sync.Mutex
	login credential.Login
	ready bool
}

// key names the stored login of the settings.
func (s *Source) key() credential.Key { return Key(s.Settings) }

// Key names the login of a profile at its origin.
func Key(settings config.Settings) credential.Key {
	return credential.Key{Profile: settings.Profile, Origin: settings.Origin}
}

// Token implements client.TokenSource. The error is ErrNoCredential, ErrExpired, or a *credential.Error.
func (s *Source) Token(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Settings.Token != "" {
		return s.Settings.Token, nil
	}
	if !s.ready {
		if err := s.load(ctx); err != nil {
			return "", err
		}
	}
	if s.usable() {
		return s.login.AccessToken, nil
	}
	if err := s.replace(ctx); err != nil {
		return "", err
	}
	return s.login.AccessToken, nil
}

// ClientID is the id of the client whose credentials are used; empty when a token of the environment does not tell.
func (s *Source) ClientID(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Settings.Token != "" {
		return "", nil
	}
	if !s.ready {
		if err := s.load(ctx); err != nil {
			return "", err
		}
	}
	return s.login.ClientID, nil
}

// Renew implements client.TokenSource: it replaces a token that the service rejected.
func (s *Source) Renew(ctx context.Context, rejected string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Settings.Token != "" {
		return "", errors.ErrUnsupported
	}
	if s.login.AccessToken != "" && s.login.AccessToken != rejected { // somebody else has renewed it meanwhile
		return s.login.AccessToken, nil
	}
	if err := s.replace(ctx); errors.Is(err, ErrExpired) {
		return "", errors.ErrUnsupported
	} else if err != nil {
		return "", err
	}
	return s.login.AccessToken, nil
}

// Refresh fetches a new token, whether or not the old one still works. When that fails, the old login stays as it is.
func (s *Source) Refresh(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Settings.Token != "" {
		return &config.UsageError{
			Reason: config.EnvToken + " is set; a token of the environment cannot be renewed",
			Hint:   "unset " + config.EnvToken + ", or put another token into it",
		}
	}
	if !s.ready {
		if err := s.load(ctx); err != nil {
			return err
		}
	}
	unkept, err := s.renew(ctx, false)
	return errors.Join(err, unkept)
}

// load finds the login: the stored one, unless the environment names another client.
func (s *Source) load(ctx context.Context) error {
	fromEnvironment := s.Settings.HasClient()
	stored, err := s.stored(ctx, fromEnvironment)
	switch {
	case fromEnvironment && (err != nil || stored.ClientID != s.Settings.ClientID):
		s.login = credential.Login{Origin: s.Settings.Origin, ClientID: s.Settings.ClientID}
	case errors.Is(err, credential.ErrNotFound):
		return s.unlessHalf(s.notLoggedIn())
	case err != nil:
		return s.unlessHalf(err)
	default:
		s.login = stored
	}
	if fromEnvironment {
		s.login.ClientSecret = s.Settings.ClientSecret
	}
	s.ready = true
	return nil
}

// stored reads the stored login. Where only that of the settings' client will do, a store that knows that it has none is not
// opened: a keyring may have to be unlocked, or may not answer for seconds.
func (s *Source) stored(ctx context.Context, ofClient bool) (credential.Login, error) {
	store, err := s.Logins()
	if err != nil {
		return credential.Login{}, err
	}
	if owned, ok := store.(credential.Owned); ok && ofClient && !owned.MayHold(s.key(), s.Settings.ClientID) {
		return credential.Login{}, credential.ErrNotFound
	}
	login, err := store.Get(ctx, s.key())
	if s.Learn != nil {
		s.Learn(login.AccessToken, login.ClientSecret)
	}
	return login, err
}

func (s *Source) usable() bool {
	return s.login.AccessToken != "" && (s.login.ExpiresAt.IsZero() || s.Now().Add(expiryMargin).Before(s.login.ExpiresAt))
}

// Obtain exchanges a client's id and secret for a login at a moment.
func Obtain(ctx context.Context, tokens payments.Tokens, origin, clientID, clientSecret string, now time.Time) (credential.Login, error) {
	token, err := tokens.CreateAccessToken(ctx, clientID, clientSecret, payments.AccessTokenRequest{})
	if err != nil {
		return credential.Login{}, err
	}
	login := credential.Login{
		Origin: origin, ClientID: clientID, ClientSecret: clientSecret,
		AccessToken: token.AccessToken, TokenType: token.TokenType, Scope: token.Scope, ObtainedAt: now,
	}
	if token.ExpiresIn > 0 {
		login.ExpiresAt = now.Add(time.Duration(token.ExpiresIn) * time.Second)
	}
	return login, nil
}
