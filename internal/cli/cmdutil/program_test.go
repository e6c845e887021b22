package cmdutil

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFind(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "with space")
	require.NoError(t, os.Mkdir(dir, 0o700))
	program := filepath.Join(dir, "hook.exe")
	require.NoError(t, os.WriteFile(program, nil, 0o700))
	quote := `'`
	if runtime.GOOS == "windows" {
		quote = `"`
	}
	found, err := FindProgram(quote+program+quote+` one "two  $HOME"`, []string{"three "})
	require.NoError(t, err)
	require.Equal(t, program, found.Path)
	require.Equal(t, []string{"one", "two  $HOME", "three "}, found.args)
	for _, wrong := range []string{"no-such-program", "no-such-program x", `sh "x\`, " "} {
		_, err = FindProgram(wrong, nil)
		require.ErrorIs(t, err, ErrUsage, wrong)
	}
}

// A program that payctl runs gets the environment without payctl's secrets, and without variables of events.
func TestProgramsGetNoSecrets(t *testing.T) {
	t.Parallel()
	got := WithoutSecrets([]string{
		"PATH=/bin", "PAYCTL_TOKEN=t", "PAYCTL_CLIENT_SECRET=s", "payctl_client_id=i", "PGPASSWORD=p", "PGPASSFILE=f",
		"PGSSLPASSWORD=s", "PAYCTL_EVENT_ID=x", "PAYCTL_PROFILE=work", "PGHOST=h", "PAYCTL_SERVE_DATABASE=postgres://u:p@h",
	})
	require.Equal(t, []string{"PATH=/bin", "PAYCTL_PROFILE=work", "PGHOST=h"}, got)
}
