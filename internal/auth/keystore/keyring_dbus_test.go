//go:build linux || netbsd || openbsd || (freebsd && cgo) || (dragonfly && cgo)

package keystore

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/auth/keystore/keyringtest"
)

const busVariable = keyringtest.Variable

// Where there is no bus, go-keyring would start one with dbus-launch and leave it running.
func TestNoBusIsLaunched(t *testing.T) {
	me, err := user.Current()
	require.NoError(t, err)
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(filepath.Join("/run/user", me.Uid, name)); err == nil {
			t.Skip("this user has a session bus, which is found without being named")
		}
	}
	dir := t.TempDir()
	marker := filepath.Join(dir, "launched")
	script := fmt.Sprintf("#!/bin/sh\n: >'%s'\n", marker)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "dbus-launch"), []byte(script), 0o700))
	t.Setenv("PATH", dir)
	for _, address := range []string{"", "autolaunch:"} {
		t.Setenv(busVariable, address)
		_, err := newKeyring().Get(t.Context(), testKey)
		require.ErrorIs(t, err, ErrAbsent)
		require.NoFileExists(t, marker)
	}
}
