package keystore

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/testkit"
)

// newKeyring returns the store with a long timeout: the machine may be busy with other tests.
func newKeyring() Store { return &keyringStore{timeout: 5 * time.Minute} }

func TestRealKeyring(t *testing.T) {
	ring, bus := testkit.StartKeyring(t)
	t.Setenv(testkit.BusVariable, bus)
	t.Cleanup(func() { // go-keyring keeps its connection open
		if conn, err := dbus.SessionBus(); err == nil {
			_ = conn.Close()
		}
	})
	s := newKeyring()
	exercise(t, s)
	require.NoError(t, s.Set(t.Context(), testKey, testLogin()))
	require.Contains(t, ring.Held("local@http://127.0.0.1:8700"), `"access_token":"t0k3n-value"`)
	require.NoError(t, s.Delete(t.Context(), testKey))
	require.Empty(t, ring.Held("local@http://127.0.0.1:8700"))
}

// Without a bus, go-keyring would start one with dbus-launch and leave it running.
func TestNoBusIsLaunched(t *testing.T) {
	me, err := user.Current()
	require.NoError(t, err)
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(filepath.Join("/run/user", me.Uid, name)); err == nil {
			t.Skip("this user has a session bus, which is found without a variable")
		}
	}
	dir := t.TempDir()
	marker := filepath.Join(dir, "launched")
	script := fmt.Sprintf("#!/bin/sh\n: >'%s'\n", marker)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "dbus-launch"), []byte(script), 0o700))
	t.Setenv("PATH", dir)
	for _, address := range []string{"", "autolaunch:"} {
		t.Setenv(testkit.BusVariable, address)
		_, err := newKeyring().Get(t.Context(), testKey)
		require.ErrorIs(t, err, ErrAbsent)
		require.NoFileExists(t, marker)
	}
}
