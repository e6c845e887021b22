// Package auth finds the credentials that calls are made with, and renews them. They are a token of the environment, a
// client's id and secret of the environment, or a stored login.
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

// ExpiryMargin is how long before its expiry a token is no longer used, so that it does not expire on the way to the
// service.
const ExpiryMargin = 10 * time.Second

// ErrNoCredential means that there is no token, no client and no stored login.
var ErrNoCredential = errors.New("not logged in")

// A Source gives tokens to a client and renews them. It is safe for concurrent use.
type Source struct {
	Settings settings.Settings
	// Logins opens the credential store. It is not called when the environment has the credentials.
	Logins func() (keystore.Store, error)
	// Warn is called when a renewed token could not be stored, which is used all the same. It may be nil.
	Warn   func(error)
	Tokens payments.Tokens
	Now    func() time.Time
	// Learn is called with every secret that a store returns. It may be nil.
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

// ClientID returns the id of the client whose credentials are used. It is empty for a token of the environment, whose
// client is not known.
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
// [errors.ErrUnsupported] when there is nothing to renew it with.
func (s *Source) Renew(ctx context.Context, rejected string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Settings.Token != "" {
		return "", errors.ErrUnsupported
	}
	if s.login.AccessToken != "" && s.login.AccessToken != rejected { // another goroutine has renewed it in the meantime
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
		// With a client of the environment a keyring is not asked: it may have to be unlocked, or take seconds to answer.
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

// storedLogin reads the stored login.
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
