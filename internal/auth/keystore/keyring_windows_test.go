package keystore

import (
	"testing"
	"unicode/utf16"

	"github.com/danieljoos/wincred"
	"github.com/stretchr/testify/require"

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
	s := newKeyring()
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
	s := newKeyring()
	_, err := s.Get(t.Context(), testKey)
	require.ErrorIs(t, err, ErrCorrupt)
	require.NotContains(t, err.Error(), "ssword")
	require.NoError(t, s.Set(t.Context(), testKey, testLogin()), "a login replaces it")
	require.NoError(t, s.Delete(t.Context(), testKey))
}
