//go:build linux || netbsd || openbsd || (freebsd && cgo) || (dragonfly && cgo)

package keystore

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/payctl/payctl/internal/auth/keystore/keyringtest"
)

const busVariable = keyringtest.Variable

// requireEnds has each operation of a store end with an error, instead of waiting for a keyring for ever.
func requireEnds(t *testing.T, s Store, want error) {
	t.Helper()
	for op, do := range map[string]func() error{
		"get":    func() error { _, err := s.Get(t.Context(), testKey); return err },
		"set":    func() error { return s.Set(t.Context(), testKey, testLogin()) },
		"delete": func() error { return s.Delete(t.Context(), testKey) },
	} {
		err := do()
		require.ErrorIs(t, err, want, op)
		var e *Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, op, e.Op)
		require.Contains(t, e.Next(), "--credential-store file")
	}
}

func TestNoBus(t *testing.T) {
	for _, address := range []string{
		"unix:path=" + filepath.Join(t.TempDir(), "nothing"), "tcp:host=127.0.0.1,port=1", "disabled:", "nonsense",
	} {
		t.Setenv(busVariable, address)
		requireEnds(t, NewKeyring("", KeyringTimeout), ErrAbsent)
	}
}

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
		requireEnds(t, NewKeyring("", KeyringTimeout), ErrAbsent)
		require.NoFileExists(t, marker)
	}
}

func TestSilentBus(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Run("calls", func(t *testing.T) {
		t.Setenv(busVariable, keyringtest.Silent(t))
		requireEnds(t, NewKeyring("", 50*time.Millisecond), ErrTimeout)

		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := NewKeyring("", time.Hour).Get(ctx, testKey)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
	// The probe's connection ends with the call: nothing waits on in the background.
	goleak.VerifyNone(t, before)
}
