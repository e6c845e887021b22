//go:build linux

package keystore

import (
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
	"github.com/zalando/go-keyring"
	"go.uber.org/goleak"

	"github.com/payctl/payctl/internal/auth/keystore/keyringtest"
)

// answersWithin is the keyring's deadline, and a second more for a loaded machine.
const answersWithin = KeyringTimeout + time.Second

// realKeyring is the real gnome-keyring, unlocked, on a bus of this test's own.
func realKeyring(t *testing.T) *keyringtest.Keyring {
	t.Helper()
	bus := keyringtest.Bus(t, keyringtest.Open)
	ring := keyringtest.Gnome(t, bus, true)
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

func TestRealKeyring(t *testing.T) {
	ring := realKeyring(t)
	s := NewKeyring("", KeyringTimeout)
	exercise(t, s)

	t.Run("as others see it", func(t *testing.T) {
		require.NoError(t, s.Set(t.Context(), testKey, testLogin()))
		value, err := keyring.Get("payctl", "local@http://127.0.0.1:8700")
		require.NoError(t, err)
		require.Contains(t, value, `"access_token":"t0k3n-value"`)
		require.NoError(t, s.Delete(t.Context(), testKey))
	})
	t.Run("large", func(t *testing.T) {
		l := testLogin()
		l.AccessToken = strings.Repeat("t", 60<<10)
		require.NoError(t, s.Set(t.Context(), testKey, l))
		got, err := s.Get(t.Context(), testKey)
		require.NoError(t, err)
		require.True(t, got == l)
		require.NoError(t, s.Delete(t.Context(), testKey))
	})
	t.Run("corrupt", func(t *testing.T) {
		require.NoError(t, keyring.Set("payctl", "local@http://127.0.0.1:8700", "not ours"))
		_, err := s.Get(t.Context(), testKey)
		require.ErrorIs(t, err, ErrCorrupt)
		require.NoError(t, s.Delete(t.Context(), testKey), "a logout mends it")
	})
	t.Run("of another program, with an attribute more", func(t *testing.T) {
		attributes := map[string]string{"service": "payctl", "username": "local@http://127.0.0.1:8700", "by": "somebody else"}
		ring.Item(attributes, "not ours")
		_, err := s.Get(t.Context(), testKey)
		require.ErrorIs(t, err, ErrCorrupt)
		delete(attributes, "by")
		ring.Item(attributes, "and one more")
		require.NoError(t, s.Delete(t.Context(), testKey))
		require.Zero(t, ring.Items(attributes), "a logout leaves nothing behind")
		exercise(t, s)
	})
}

// A process that goes on for hours keeps nothing of the calls behind it.
func TestRealKeyringLeavesNothingBehind(t *testing.T) {
	realKeyring(t)
	s := NewKeyring("", KeyringTimeout)
	require.NoError(t, s.Set(t.Context(), testKey, testLogin())) // go-keyring keeps one connection from here on
	before := goleak.IgnoreCurrent()
	for range 3 {
		_, err := s.Get(t.Context(), testKey)
		require.NoError(t, err)
	}
	goleak.VerifyNone(t, before)
	require.NoError(t, s.Delete(t.Context(), testKey))
}

func TestRealKeyringLocked(t *testing.T) {
	ring := realKeyring(t)
	s := NewKeyring("", KeyringTimeout)
	require.NoError(t, s.Set(t.Context(), testKey, testLogin()))
	ring.Lock()
	requireWithin(t, answersWithin, s, ErrLocked)
	ring.Unlock()
	got, err := s.Get(t.Context(), testKey)
	require.NoError(t, err)
	require.True(t, got == testLogin(), "what was stored outlasts the refused calls: %s", got)
	require.NoError(t, s.Delete(t.Context(), testKey))
}

func TestRealKeyringWithoutADefaultCollection(t *testing.T) {
	bus := keyringtest.Bus(t, keyringtest.Open)
	keyringtest.Gnome(t, bus, false)
	useBus(t, bus)
	_, err := NewKeyring("", KeyringTimeout).Get(t.Context(), testKey)
	require.ErrorIs(t, err, ErrAbsent)
	require.ErrorContains(t, err, "no default collection")
}

func TestRealBusWithoutASecretService(t *testing.T) {
	t.Setenv(busVariable, keyringtest.Bus(t, keyringtest.Open))
	requireWithin(t, time.Second, NewKeyring("", KeyringTimeout), ErrAbsent)
}

func TestRealSilentBus(t *testing.T) {
	const timeout = 200 * time.Millisecond
	t.Setenv(busVariable, keyringtest.Silent(t))
	requireWithin(t, timeout+time.Second, NewKeyring("", timeout), ErrTimeout)
}

func TestRealBusThatWithholdsAnswers(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Run("calls", func(t *testing.T) {
		t.Setenv(busVariable, keyringtest.Bus(t, keyringtest.Mute))
		requireWithin(t, answersWithin, NewKeyring("", 100*time.Millisecond), ErrTimeout)
	})
	goleak.VerifyNone(t, before)
}
