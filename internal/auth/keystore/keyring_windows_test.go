package keystore

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"

	"github.com/danieljoos/wincred"
	"github.com/stretchr/testify/require"
	"github.com/zalando/go-keyring"

	"github.com/payctl/payctl/internal/auth/keystore/keyringtest"
)

// realKeyring is the Credential Manager, without what a test that was killed has left in it.
func realKeyring(t *testing.T) *keyringtest.Manager {
	t.Helper()
	ring, _ := keyringtest.Start(t)
	ring.Clear("@" + testKey.Origin)
	t.Cleanup(func() { ring.Clear("@" + testKey.Origin) })
	return ring
}

// A login stays on this machine, whereas a roaming profile would take one with CRED_PERSIST_ENTERPRISE to others, and its
// names are those that the document tells to look for.
func TestCredentialStaysOnThisMachine(t *testing.T) {
	realKeyring(t)
	s := NewKeyring("", KeyringTimeout)
	require.NoError(t, s.Set(t.Context(), testKey, testLogin()))
	item, err := wincred.GetGenericCredential("payctl:" + testUser)
	require.NoError(t, err)
	require.Equal(t, wincred.PersistLocalMachine, item.Persist)
	require.Equal(t, testUser, item.UserName)
	require.NoError(t, s.Delete(t.Context(), testKey))
	_, err = wincred.GetGenericCredential("payctl:" + testUser)
	require.ErrorIs(t, err, wincred.ErrElementNotFound)
}

// What cmdkey and the window of the Credential Manager store as a password is UTF-16.
func TestCredentialThatWasTypedIn(t *testing.T) {
	realKeyring(t)
	item := wincred.NewGenericCredential("payctl:" + testUser)
	item.UserName = "somebody"
	for _, unit := range utf16.Encode([]rune("pässword")) {
		item.CredentialBlob = append(item.CredentialBlob, byte(unit), byte(unit>>8))
	}
	require.NoError(t, item.Write())
	s := NewKeyring("", KeyringTimeout)
	_, err := s.Get(t.Context(), testKey)
	require.ErrorIs(t, err, ErrCorrupt)
	require.NotContains(t, err.Error(), "ssword")
	require.NoError(t, s.Set(t.Context(), testKey, testLogin()), "a login replaces it")
	require.NoError(t, s.Delete(t.Context(), testKey))
}

// A session over the network has no Credential Manager, which Windows tells by this error (CredReadW, CredWriteW).
func TestErrorsOfTheCredentialManager(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code syscall.Errno
		want error
	}{
		{1312, ErrAbsent}, // ERROR_NO_SUCH_LOGON_SESSION
		{1783, ErrTooLarge},
		{1168, ErrNotFound},
	} {
		store, _ := newFake()
		store.getItem = func(string, string) (string, error) { return "", c.code }
		store.setItem = func(string, string, string) error { return c.code }
		store.deleteItem = func(string, string) error { return c.code }
		_, err := store.Get(t.Context(), testKey)
		require.ErrorIs(t, err, c.want)
		require.ErrorIs(t, store.Set(t.Context(), testKey, testLogin()), c.want)
		require.ErrorIs(t, store.Delete(t.Context(), testKey), c.want)
		known, ok := errors.AsType[*Error](err)
		require.True(t, ok)
		require.NotContains(t, known.Next(), "secret service")
		if errors.Is(c.want, ErrAbsent) {
			require.Contains(t, known.Next(), LogInToFile)
			require.Contains(t, known.Next(), "a session that was opened with a password")
		}
	}
	require.NoError(t, platformKind(syscall.ERROR_ACCESS_DENIED))
}

// The bounds are those of the Credential Manager: go-keyring, which checks them too, takes as much.
func TestBoundsOfTheCredentialManager(t *testing.T) {
	ring := realKeyring(t)
	value := strings.Repeat("x", maxValue("windows", testUser))
	require.NoError(t, keyring.Set(keyringService, testUser, value))
	require.Equal(t, value, ring.Held(testUser))
	require.ErrorIs(t, keyring.Set(keyringService, testUser, value+"x"), keyring.ErrSetDataTooBig)
}
