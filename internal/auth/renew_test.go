package auth

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/settings"
)

var worn = keystore.Login{ClientID: "desk", ClientSecret: "hush", AccessToken: "old", ExpiresAt: now}

// shared is a memoryStore that other processes change while this process waits for the lock.
type shared struct {
	memoryStore
	others   func(*memoryStore)
	released bool
	setting  error
}

func (s *shared) Lock(context.Context) func() {
	if s.others != nil {
		s.others(&s.memoryStore)
	}
	return func() { s.released = true }
}

func (s *shared) Set(ctx context.Context, k keystore.Key, l keystore.Login) error {
	if s.setting != nil {
		return s.setting
	}
	return s.memoryStore.Set(ctx, k, l)
}

// A token that another process renewed is used. The login of another client is not: nothing is sent with its
// credentials, and it stays in the store.
func TestLoginsOfOtherProcesses(t *testing.T) {
	t.Parallel()
	for client, want := range map[string]struct {
		token  string
		issued int
	}{"desk": {"theirs", 0}, "other": {"desk-hush-1", 1}} {
		theirs := keystore.Login{ClientID: client, ClientSecret: "hush", AccessToken: "theirs", ExpiresAt: now.Add(time.Hour)}
		store := &shared{memoryStore: memoryStore{login: worn}, others: func(d *memoryStore) { d.login = theirs }}
		tokens := &issuer{}
		token, err := source(settings.Settings{}, store, tokens).Token(t.Context())
		require.NoError(t, err)
		require.Equal(t, want.token, token)
		require.Equal(t, want.issued, tokens.issued)
		require.Equal(t, theirs, store.login)
		require.True(t, store.released)
	}
}

// After a logout, a process still knows its client id, which the journal records with each write. If another client
// logs in, the process does not send its writes as that client.
func TestAfterALogoutAProcessStaysWhoItIs(t *testing.T) {
	t.Parallel()
	store := &shared{memoryStore: memoryStore{login: worn}, others: func(d *memoryStore) { d.login = keystore.Login{} }}
	tokens := &issuer{}
	s := source(settings.Settings{}, store, tokens)
	for range 2 {
		_, err := s.Token(t.Context())
		require.ErrorIs(t, err, ErrNoCredential)
	}
	require.Zero(t, tokens.issued)
	require.Zero(t, store.sets, "a renewal does not restore a login")
	client, err := s.ClientID(t.Context())
	require.NoError(t, err)
	require.Equal(t, "desk", client)

	other := keystore.Login{ClientID: "other", ClientSecret: "s", AccessToken: "other", ExpiresAt: now.Add(time.Hour)}
	store.others = func(d *memoryStore) { d.login = other }
	for _, token := range []func() (string, error){
		func() (string, error) { return s.Token(t.Context()) },
		func() (string, error) { return s.Renew(t.Context(), "old") },
	} {
		_, err := token()
		require.ErrorIs(t, err, ErrNoCredential)
	}

	// A new login of the same client is used.
	store.others = func(d *memoryStore) {
		d.login = keystore.Login{ClientID: "desk", AccessToken: "again", ExpiresAt: now.Add(time.Hour)}
	}
	token, err := s.Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "again", token)
}

func TestATokenThatCannotBeStoredIsUsedAndToldOf(t *testing.T) {
	t.Parallel()
	locked := &keystore.Error{Err: keystore.ErrLocked}
	for name, store := range map[string]*shared{
		"the store cannot be written": {memoryStore: memoryStore{login: worn}, setting: locked},
		"the store cannot be read": {
			memoryStore: memoryStore{login: worn}, others: func(d *memoryStore) { d.err = locked },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told []error
			s := source(settings.Settings{}, store, &issuer{})
			s.Warn = func(err error) { told = append(told, err) }
			for range 3 {
				token, err := s.Token(t.Context())
				require.NoError(t, err)
				require.Equal(t, "desk-hush-1", token)
			}
			require.Equal(t, []error{locked}, told, "once")
			require.Zero(t, store.sets)
		})
	}
}

func TestStatusWithoutANetwork(t *testing.T) {
	t.Parallel()
	down := &issuer{fail: errors.New("no network")}
	s := source(settings.Settings{}, &memoryStore{login: worn}, down).Status(t.Context())
	require.Equal(t, "expired", s.State, "this is known without the service")
	require.Equal(t, "no network", s.Reason)
	require.NotEmpty(t, s.Next)
}
