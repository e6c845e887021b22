package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/credential"
	"github.com/payctl/payctl/internal/payments"
)

var now = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// issuer is a token operation that counts what it issues.
type issuer struct {
	mu     sync.Mutex
	issued int
	fail   error
	known  map[string]bool
}

func (i *issuer) CreateAccessToken(_ context.Context, clientID, clientSecret string, _ payments.AccessTokenRequest) (payments.AccessToken, error) {
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
		return payments.AccessTokenDescription{}, payments.Refuse(payments.KindUnauthenticated, "unknown")
	}
	return payments.AccessTokenDescription{ClientID: "desk", ExpiresAt: now.Add(time.Hour)}, nil
}

func (*issuer) RevokeAccessToken(context.Context, string) error { return nil }

// drawer is a credential store in memory.
type drawer struct {
	login credential.Login
	err   error
	sets  int
}

func (*drawer) Name() string { return "drawer" }

func (s *drawer) Get(context.Context, credential.Key) (credential.Login, error) {
	if s.err == nil && s.login == (credential.Login{}) {
		return s.login, &credential.Error{Kind: credential.ErrNotFound}
	}
	return s.login, s.err
}

func (s *drawer) Set(_ context.Context, _ credential.Key, login credential.Login) error {
	s.sets++
	s.login = login
	return nil
}

func (s *drawer) Delete(context.Context, credential.Key) error { return nil }

func source(settings config.Settings, store credential.Store, tokens payments.Tokens) *Source {
	settings.Profile, settings.Origin = "local", "https://payments.example:443"
	return &Source{
		Settings: settings,
		Logins:   func() (credential.Store, error) { return store, nil },
		Tokens:   tokens,
		Now:      func() time.Time { return now },
	}
}

func TestTokenOfTheEnvironmentIsUsedAsItIs(t *testing.T) {
	t.Parallel()
	s := source(config.Settings{Token: "given"}, &drawer{err: errors.New("must not be asked")}, &issuer{})
	token, err := s.Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "given", token)
	_, err = s.Renew(t.Context(), "given")
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorIs(t, s.Refresh(t.Context()), config.ErrUsage)
}

func TestCredentialsOfTheEnvironmentFetchATokenForThisProcess(t *testing.T) {
	t.Parallel()
	store, tokens := &drawer{}, &issuer{}
	s := source(config.Settings{ClientID: "ci", ClientSecret: "hush"}, store, tokens)
	for range 3 {
		token, err := s.Token(t.Context())
		require.NoError(t, err)
		require.Equal(t, "ci-hush-1", token)
	}
	require.Zero(t, store.sets, "what the environment gives stays out of the store")

	// The stored token is used where it is that client's, and not where it is another's.
	store.login = credential.Login{ClientID: "ci", AccessToken: "stored", ExpiresAt: now.Add(time.Hour)}
	token, err := source(config.Settings{ClientID: "ci", ClientSecret: "hush"}, store, tokens).Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "stored", token)
	token, err = source(config.Settings{ClientID: "other", ClientSecret: "hush"}, store, tokens).Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "other-hush-2", token)
}

// ownedDrawer is a drawer that knows whose login it holds, and must not be opened for another's.
type ownedDrawer struct {
	drawer
	owner  string
	opened int
}

func (s *ownedDrawer) MayHold(_ credential.Key, clientID string) bool { return clientID == s.owner }

func (s *ownedDrawer) Stored(credential.Key) bool { return s.owner != "" }

func (s *ownedDrawer) Get(ctx context.Context, k credential.Key) (credential.Login, error) {
	s.opened++
	return s.drawer.Get(ctx, k)
}

func TestAKeyringIsNotAskedForTheTokenOfAClientThatItHasNot(t *testing.T) {
	t.Parallel()
	store := &ownedDrawer{owner: "desk", drawer: drawer{login: credential.Login{ClientID: "desk", AccessToken: "stored", ExpiresAt: now.Add(time.Hour)}}}
	token, err := source(config.Settings{ClientID: "ci", ClientSecret: "hush"}, store, &issuer{}).Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "ci-hush-1", token)
	require.Zero(t, store.opened)
	token, err = source(config.Settings{ClientID: "desk", ClientSecret: "hush"}, store, &issuer{}).Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "stored", token)
	token, err = source(config.Settings{}, store, &issuer{}).Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "stored", token, "a login that is meant is looked for, whatever is noted")
}

func TestStoredLoginIsRenewedBeforeItEndsAndStored(t *testing.T) {
	t.Parallel()
	store := &drawer{login: credential.Login{ClientID: "desk", ClientSecret: "hush", AccessToken: "old", ExpiresAt: now.Add(expiryMargin)}}
	s := source(config.Settings{}, store, &issuer{})
	token, err := s.Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "desk-hush-1", token)
	require.Equal(t, "desk-hush-1", store.login.AccessToken)
	require.Equal(t, now.Add(time.Hour), store.login.ExpiresAt)
}

func TestFailedRenewalKeepsTheLogin(t *testing.T) {
	t.Parallel()
	old := credential.Login{ClientID: "desk", ClientSecret: "hush", AccessToken: "old", ExpiresAt: now.Add(time.Hour)}
	store := &drawer{login: old}
	s := source(config.Settings{}, store, &issuer{fail: errors.New("no network")})
	require.ErrorContains(t, s.Refresh(t.Context()), "no network")
	require.Equal(t, old, store.login)
	token, err := s.Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "old", token)
}

func TestExpiredLoginWithoutASecret(t *testing.T) {
	t.Parallel()
	store := &drawer{login: credential.Login{ClientID: "desk", AccessToken: "old", ExpiresAt: now.Add(-time.Minute)}}
	s := source(config.Settings{}, store, &issuer{})
	_, err := s.Token(t.Context())
	require.ErrorIs(t, err, ErrExpired)
	require.Equal(t, "expired", s.Status(t.Context()).State)
}

func TestRejectedTokenIsRenewedOnceForAllCallers(t *testing.T) {
	t.Parallel()
	store := &drawer{login: credential.Login{ClientID: "desk", ClientSecret: "hush", AccessToken: "old", ExpiresAt: now.Add(time.Hour)}}
	tokens := &issuer{}
	s := source(config.Settings{}, store, tokens)
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
		"locked": credential.ErrLocked, "unavailable": credential.ErrTimeout, "absent": credential.ErrNotFound,
	} {
		tokens := &issuer{}
		s := source(config.Settings{}, &drawer{err: &credential.Error{Kind: kind}}, tokens)
		_, err := s.Token(t.Context())
		require.Error(t, err)
		require.Zero(t, tokens.issued, "nothing is sent without the credential that was meant")
		status := s.Status(t.Context())
		require.Equal(t, state, status.State)
		require.NotEmpty(t, status.Next)
	}
}

func TestStatusAsksTheService(t *testing.T) {
	t.Parallel()
	tokens := &issuer{known: map[string]bool{"good": true}}
	good := source(config.Settings{}, &drawer{login: credential.Login{ClientID: "desk", AccessToken: "good"}}, tokens).Status(t.Context())
	require.Equal(t, "ok", good.State)
	require.Equal(t, now.Add(time.Hour), *good.ExpiresAt)
	bad := source(config.Settings{}, &drawer{login: credential.Login{ClientID: "desk", AccessToken: "revoked"}}, tokens).Status(t.Context())
	require.Equal(t, "rejected", bad.State)
	renewed := source(config.Settings{}, &drawer{login: credential.Login{ClientID: "desk", ClientSecret: "s", AccessToken: "revoked"}}, tokens).Status(t.Context())
	require.Equal(t, "ok", renewed.State, "a rejected token that can be renewed is")
}
