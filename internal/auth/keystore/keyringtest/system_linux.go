package keyringtest

import (
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
)

// Start starts an unlocked gnome-keyring on a bus of the test's own, and returns both.
func Start(t testing.TB) (ring *Keyring, bus string) {
	t.Helper()
	bus = Bus(t)
	return Gnome(t, bus, true), bus
}

// Hold implements [System].
func (k *Keyring) Hold(user, value string) {
	k.t.Helper()
	k.create(map[string]string{"service": service, "username": user}, value, true)
}

// Held implements [System].
func (k *Keyring) Held(user string) string {
	k.t.Helper()
	found := k.find(map[string]string{"service": service, "username": user})
	if len(found) == 0 {
		return ""
	}
	session, end := k.secret("")
	defer end()
	var held map[dbus.ObjectPath]secret
	require.NoError(k.t, k.conn.Object(secretsName, secretsPath).
		Call(serviceIface+".GetSecrets", 0, found[:1], session.Session).Store(&held))
	return string(held[found[0]].Value)
}
