package keystore

import (
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/auth/keystore/keyringtest"
)

// realKeyring is the real gnome-keyring, unlocked, on a bus of this test's own.
func realKeyring(t *testing.T) *keyringtest.Keyring {
	t.Helper()
	ring, bus := keyringtest.Start(t)
	useBus(t, bus)
	return ring
}

// useBus makes the bus this process's. go-keyring keeps its connection to the one before, unless that is closed.
func useBus(t *testing.T, bus string) {
	t.Helper()
	t.Setenv(busVariable, bus)
	t.Cleanup(func() {
		if conn, err := dbus.SessionBus(); err == nil {
			_ = conn.Close()
		}
	})
}

func TestRealKeyringWithAnItemOfAnotherProgram(t *testing.T) {
	ring := realKeyring(t)
	s := newKeyring()
	attributes := map[string]string{"service": keyringService, "username": testUser, "by": "somebody else"}
	ring.Item(attributes, "not ours")
	_, err := s.Get(t.Context(), testKey)
	require.ErrorIs(t, err, ErrCorrupt)
	delete(attributes, "by")
	ring.Item(attributes, "and one more")
	require.NoError(t, s.Delete(t.Context(), testKey))
	require.Zero(t, ring.Items(attributes), "a logout leaves nothing behind")
	exercise(t, s)
}
