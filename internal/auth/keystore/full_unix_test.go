//go:build unix

package keystore

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/securefile"
)

const fullVariable = "PAYCTL_TEST_FULL_DISK"

// TestFullDiskKeepsTheOldLogins writes where there is no more room, for which a process of its own may write few bytes
// only.
func TestFullDiskKeepsTheOldLogins(t *testing.T) {
	if dir := os.Getenv(fullVariable); dir != "" {
		signal.Ignore(syscall.SIGXFSZ) // else the signal ends the process, in place of an error of the write
		var usual syscall.Rlimit
		require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &usual))
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 600, Max: usual.Max}))
		longer := testLogin()
		longer.AccessToken = strings.Repeat("t", 4096)
		err := NewFile(dir).Set(t.Context(), testKey, longer)
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &usual)) // the process may write its coverage
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, syscall.EFBIG) {
			t.Fatalf("%v", err)
		}
		t.Log("refused; next:", e.Next())
		return
	}
	t.Parallel()
	dir := newDir(t)
	s := NewFile(dir)
	require.NoError(t, s.Set(t.Context(), testKey, testLogin()))
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), fullVariable+"="+dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "refused; next: make sure that you can read and write "+dir)
	got, err := s.Get(t.Context(), testKey)
	require.NoError(t, err)
	require.True(t, got == testLogin(), "%s", got)
	require.NoFileExists(t, filepath.Join(dir, fileName+securefile.TempSuffix), "half a login is not left behind")
}
