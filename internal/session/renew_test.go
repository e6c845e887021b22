package session

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/credential"
)

var worn = credential.Login{ClientID: "desk", ClientSecret: "hush", AccessToken: "old", ExpiresAt: now}

// shared is a drawer that others use too: what they do, they do while this process waits for its turn.
type shared struct {
	drawer
	others   func(*drawer)
	released bool
	setting  error
}

func (s *shared) Turn(context.Context, credential.Key) (func(), error) {
	if s.others != nil {
		s.others(&s.drawer)
	}
	return func() { s.released = true }, nil
}

func (s *shared) Set(ctx context.Context, k credential.Key, l credential.Login) error {
	if s.setting != nil {
		return s.setting
	}
	return s.drawer.Set(ctx, k, l)
}

func TestWhatAnotherProcessRenewedIsUsed(t *testing.T) {
	t.Parallel()
	theirs := credential.Login{ClientID: "desk", ClientSecret: "hush", AccessToken: "theirs", ExpiresAt: now.Add(time.Hour)}
	store := &shared{drawer: drawer{login: worn}, others: func(d *drawer) { d.login = theirs }}
	tokens := &issuer{}
	token, err := source(config.Settings{}, store, tokens).Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "theirs", token)
	require.Zero(t, tokens.issued)
	require.Zero(t, store.sets)
	require.True(t, store.released)

	// A refresh that was asked for is one.
	store.released = false
	s := source(config.Settings{}, store, tokens)
	require.NoError(t, s.Refresh(t.Context()))
	require.Equal(t, 1, tokens.issued)
	require.Equal(t, "desk-hush-1", store.login.AccessToken)
	require.True(t, store.released)
}

// A login without its secret lives on in a process when somebody logs in again beside it.
func TestANewLoginBesideOneThatEnded(t *testing.T) {
	t.Parallel()
	ended := worn
	ended.ClientSecret = ""
	again := credential.Login{ClientID: "desk", AccessToken: "again", ExpiresAt: now.Add(time.Hour)}
	store := &shared{drawer: drawer{login: ended}, others: func(d *drawer) { d.login = again }}
	token, err := source(config.Settings{}, store, &issuer{}).Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "again", token)
}

func TestALogoutHoldsForProcessesThatGoOn(t *testing.T) {
	t.Parallel()
	store := &shared{drawer: drawer{login: worn}, others: func(d *drawer) { d.login = credential.Login{} }}
	tokens := &issuer{}
	s := source(config.Settings{}, store, tokens)
	for range 2 {
		_, err := s.Token(t.Context())
		require.ErrorIs(t, err, ErrNoCredential)
	}
	require.Zero(t, tokens.issued)
	require.Zero(t, store.sets, "a renewal does not bring a login back")
}

func TestAProcessStaysWhoItIs(t *testing.T) {
	t.Parallel()
	other := credential.Login{ClientID: "other", ClientSecret: "s", AccessToken: "other", ExpiresAt: now.Add(time.Hour)}
	store := &shared{drawer: drawer{login: worn}, others: func(d *drawer) { d.login = other }}
	token, err := source(config.Settings{}, store, &issuer{}).Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "desk-hush-1", token, "nothing is sent with another client's credentials")
	require.Equal(t, other, store.login, "and the other's login stays")
}

// A logout does not make a process forget for whom it has sent what is still under way, whose outcome is put down by that name.
// And where somebody else logs in, what it was about to send does not leave in that one's name.
func TestAfterALogoutAProcessStaysWhoItIs(t *testing.T) {
	t.Parallel()
	store := &shared{drawer: drawer{login: worn}, others: func(d *drawer) { d.login = credential.Login{} }}
	s := source(config.Settings{}, store, &issuer{})
	_, err := s.Token(t.Context())
	require.ErrorIs(t, err, ErrNoCredential)
	client, err := s.ClientID(t.Context())
	require.NoError(t, err)
	require.Equal(t, "desk", client)

	other := credential.Login{ClientID: "other", ClientSecret: "s", AccessToken: "other", ExpiresAt: now.Add(time.Hour)}
	store.others = func(d *drawer) { d.login = other }
	for _, token := range []func() (string, error){
		func() (string, error) { return s.Token(t.Context()) },
		func() (string, error) { return s.Renew(t.Context(), "old") },
	} {
		_, err := token()
		require.ErrorIs(t, err, ErrNoCredential)
	}

	// The same client's next login will do.
	store.others = func(d *drawer) {
		d.login = credential.Login{ClientID: "desk", AccessToken: "again", ExpiresAt: now.Add(time.Hour)}
	}
	token, err := s.Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "again", token)
}

func TestATokenThatCannotBeStoredIsUsedAndToldOf(t *testing.T) {
	t.Parallel()
	locked := &credential.Error{Kind: credential.ErrLocked}
	for name, store := range map[string]*shared{
		"the store cannot be written": {drawer: drawer{login: worn}, setting: locked},
		"the store cannot be read":    {drawer: drawer{login: worn}, others: func(d *drawer) { d.err = locked }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told []error
			s := source(config.Settings{}, store, &issuer{})
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
	t.Run("a refresh fails by it", func(t *testing.T) {
		t.Parallel()
		s := source(config.Settings{}, &shared{drawer: drawer{login: worn}, setting: locked}, &issuer{})
		require.ErrorIs(t, s.Refresh(t.Context()), credential.ErrLocked)
	})
}

func TestStatusWithoutANetwork(t *testing.T) {
	t.Parallel()
	down := &issuer{fail: errors.New("no network")}
	s := source(config.Settings{}, &drawer{login: worn}, down).Status(t.Context())
	require.Equal(t, "expired", s.State, "that needs no service to tell")
	require.Equal(t, "no network", s.Reason)
	require.NotEmpty(t, s.Next)
}
