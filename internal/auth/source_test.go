package auth

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

var now = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// issuer issues tokens and counts them.
type issuer struct {
	mu     sync.Mutex
	issued int
	fail   error
	known  map[string]bool
}

func (i *issuer) CreateAccessToken(
	_ context.Context, clientID, clientSecret string, _ payments.AccessTokenRequest,
) (payments.AccessToken, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.fail != nil {
		return payments.AccessToken{}, i.fail
	}
	i.issued++
	token := fmt.Sprintf("%s-%s-%d", clientID, clientSecret, i.issued)
	if i.known == nil {
		i.known = map[string]bool{}
	}
	i.known[token] = true
	return payments.AccessToken{AccessToken: token, TokenType: "Bearer", ExpiresIn: 3600}, nil
}

func (i *issuer) DescribeAccessToken(_ context.Context, token string) (payments.AccessTokenDescription, error) {
	if !i.known[token] {
		return payments.AccessTokenDescription{}, payments.NewProblem(payments.ProblemUnauthenticated, "unknown")
	}
	return payments.AccessTokenDescription{ClientID: "desk", ExpiresAt: now.Add(time.Hour)}, nil
}

func (*issuer) RevokeAccessToken(context.Context, string) error { return nil }

// memoryStore is a credential store in memory.
type memoryStore struct {
	login keystore.Login
	err   error
	sets  int
}

func (*memoryStore) Name() string { return "memory" }

func (s *memoryStore) Get(context.Context, keystore.Key) (keystore.Login, error) {
	if s.err == nil && s.login == (keystore.Login{}) {
		return s.login, &keystore.Error{Err: keystore.ErrNotFound}
	}
	return s.login, s.err
}

func (s *memoryStore) Set(_ context.Context, _ keystore.Key, login keystore.Login) error {
	s.sets++
	s.login = login
	return nil
}

func (s *memoryStore) Delete(context.Context, keystore.Key) error { return nil }

func (s *memoryStore) Lock(context.Context) func() { return func() {} }

func source(resolved settings.Settings, store keystore.Store, tokens payments.Tokens) *Source {
	resolved.Profile, resolved.Origin = "local", "https://payments.example:443"
	return &Source{
		Settings: resolved,
		Logins:   func() (keystore.Store, error) { return store, nil },
		Tokens:   tokens,
		Now:      func() time.Time { return now },
	}
}

func TestTokenOfTheEnvironmentIsUsedAsItIs(t *testing.T) {
	t.Parallel()
	s := source(settings.Settings{Token: "given"}, &memoryStore{err: errors.New("must not be asked")}, &issuer{})
	token, err := s.Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "given", token)
	_, err = s.Renew(t.Context(), "given")
	require.ErrorIs(t, err, errors.ErrUnsupported)
}

func TestCredentialsOfTheEnvironmentFetchATokenForThisProcess(t *testing.T) {
	t.Parallel()
	store, tokens := &memoryStore{}, &issuer{}
	s := source(settings.Settings{ClientID: "ci", ClientSecret: "hush"}, store, tokens)
	for range 3 {
		token, err := s.Token(t.Context())
		require.NoError(t, err)
		require.Equal(t, "ci-hush-1", token)
	}
	require.Zero(t, store.sets, "credentials of the environment are not stored")

	// The stored token is used only for its own client.
	store.login = keystore.Login{ClientID: "ci", AccessToken: "stored", ExpiresAt: now.Add(time.Hour)}
	token, err := source(settings.Settings{ClientID: "ci", ClientSecret: "hush"}, store, tokens).Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "stored", token)
	token, err = source(settings.Settings{ClientID: "other", ClientSecret: "hush"}, store, tokens).Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "other-hush-2", token)

	inKeyring := settings.Settings{ClientID: "ci", ClientSecret: "hush", CredentialStore: settings.CredentialStoreKeyring}
	token, err = source(inKeyring, store, tokens).Token(t.Context()) // a keyring may be locked, and is not read
	require.NoError(t, err)
	require.Equal(t, "ci-hush-3", token)
}

func TestRejectedTokenIsRenewedOnceForAllCallers(t *testing.T) {
	t.Parallel()
	login := keystore.Login{ClientID: "desk", ClientSecret: "hush", AccessToken: "old", ExpiresAt: now.Add(time.Hour)}
	store := &memoryStore{login: login}
	tokens := &issuer{}
	s := source(settings.Settings{}, store, tokens)
	_, err := s.Token(t.Context())
	require.NoError(t, err)
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			token, err := s.Renew(context.Background(), "old")
			require.NoError(t, err)
			require.Equal(t, "desk-hush-1", token)
		})
	}
	callers.Wait()
	require.Equal(t, 1, tokens.issued)
}

func TestReadFailureOfTheStoreEndsTheCall(t *testing.T) {
	t.Parallel()
	for state, kind := range map[string]error{
		"locked": keystore.ErrLocked, "unavailable": keystore.ErrTimeout, "absent": keystore.ErrNotFound,
	} {
		tokens := &issuer{}
		s := source(settings.Settings{}, &memoryStore{err: &keystore.Error{Err: kind}}, tokens)
		_, err := s.Token(t.Context())
		require.Error(t, err)
		require.Zero(t, tokens.issued, "nothing is sent without the stored credential")
		status := s.Status(t.Context())
		require.Equal(t, state, status.State)
		require.NotEmpty(t, status.Next)
	}
}

func TestStatusAsksTheService(t *testing.T) {
	t.Parallel()
	tokens := &issuer{known: map[string]bool{"good": true}}
	stored := &memoryStore{login: keystore.Login{ClientID: "desk", AccessToken: "good"}}
	good := source(settings.Settings{}, stored, tokens).Status(t.Context())
	require.Equal(t, "ok", good.State)
	require.Equal(t, now.Add(time.Hour), *good.ExpiresAt)
	bad := source(settings.Settings{Token: "revoked"}, &memoryStore{}, tokens).Status(t.Context())
	require.Equal(t, "rejected", bad.State)
	stored = &memoryStore{login: keystore.Login{ClientID: "desk", ClientSecret: "s", AccessToken: "revoked"}}
	renewed := source(settings.Settings{}, stored, tokens).Status(t.Context())
	require.Equal(t, "ok", renewed.State, "a rejected token that can be renewed is ok")
}
