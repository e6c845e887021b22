// Package auth finds the credentials for calls, and renews them. They are a token in the environment, a client's id and
// secret in the environment, or a stored login.
package auth

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

// ExpiryMargin is how long before its expiry a token is no longer used. A token must not expire on its way.
const ExpiryMargin = 10 * time.Second

// ErrNoCredential means that token, client and stored login are all missing.
var ErrNoCredential = errors.New("not logged in")

// A Source gives tokens to a client and renews them. It is safe for concurrent use.
type Source struct {
	Settings settings.Settings
	// Logins opens the credential store. It is not called if the environment has the credentials.
	Logins func() (keystore.Store, error)
	// Warn, if not nil, is called when a renewed token could not be stored.
	Warn   func(error)
	Tokens payments.Tokens
	Now    func() time.Time
	// Learn, if not nil, is called with every secret from a store.
	Learn func(secrets ...string)

	mu     sync.Mutex
	login  keystore.Login
	loaded bool
}

// Key names the login of a profile at its origin.
func Key(resolved settings.Settings) keystore.Key {
	return keystore.Key{Profile: resolved.Profile, Origin: resolved.Origin}
}

// Token implements client.TokenSource. The error is ErrNoCredential, or that of the store or the service.
func (s *Source) Token(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Settings.Token != "" {
		return s.Settings.Token, nil
	}
	if err := s.load(ctx); err != nil {
		return "", err
	}
	if s.isUsable() {
		return s.login.AccessToken, nil
	}
	return s.renewAndWarn(ctx)
}

// ClientID returns the client of the credentials. It is empty for a token in the environment, whose client is unknown.
func (s *Source) ClientID(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Settings.Token != "" {
		return "", nil
	}
	if err := s.load(ctx); err != nil {
		return "", err
	}
	return s.login.ClientID, nil
}

// Renew implements client.TokenSource: it replaces a token that the service rejected. The error matches
// [errors.ErrUnsupported] for a token in the environment, which cannot be renewed.
func (s *Source) Renew(ctx context.Context, rejected string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Settings.Token != "" {
		return "", errors.ErrUnsupported
	}
	if s.login.AccessToken != "" && s.login.AccessToken != rejected { // another goroutine has renewed it
		return s.login.AccessToken, nil
	}
	return s.renewAndWarn(ctx)
}

// load reads the login once: the stored one, unless the environment names another client.
func (s *Source) load(ctx context.Context) error {
	if s.loaded {
		return nil
	}
	hasClient := s.Settings.HasClient()
	stored, err := keystore.Login{}, keystore.ErrNotFound
	if !hasClient || s.Settings.CredentialStore != settings.CredentialStoreKeyring {
		// With a client in the environment a keyring is not used: it may be locked, or take seconds to answer.
		stored, err = s.storedLogin(ctx)
	}
	switch {
	case hasClient && (err != nil || stored.ClientID != s.Settings.ClientID):
		s.login = keystore.Login{Origin: s.Settings.Origin, ClientID: s.Settings.ClientID}
	case errors.Is(err, keystore.ErrNotFound):
		return s.notLoggedIn()
	case err != nil:
		return err
	default:
		s.login = stored
	}
	if hasClient {
		s.login.ClientSecret = s.Settings.ClientSecret
	}
	s.loaded = true
	return nil
}

func (s *Source) storedLogin(ctx context.Context) (keystore.Login, error) {
	store, err := s.Logins()
	if err != nil {
		return keystore.Login{}, err
	}
	login, err := store.Get(ctx, Key(s.Settings))
	if s.Learn != nil {
		s.Learn(login.AccessToken, login.ClientSecret)
	}
	return login, err
}

func (s *Source) isUsable() bool {
	return s.login.AccessToken != "" && (s.login.ExpiresAt.IsZero() || s.Now().Add(ExpiryMargin).Before(s.login.ExpiresAt))
}

func (s *Source) notLoggedIn() error {
	return fmt.Errorf("%w to %s with the profile %s", ErrNoCredential, s.Settings.Origin, s.Settings.Profile)
}
