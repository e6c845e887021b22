package cmdutil

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/shell"
)

func TestDeviceHint(t *testing.T) {
	t.Parallel()
	missing := &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}
	for _, c := range []struct {
		goos, path string
		err        error
		want       string
	}{
		{"windows", "/dev/null", missing, "nul"},
		{"windows", "/dev/stdin", missing, "-"},
		{"windows", "/dev/fd/3", missing, "-"},
		{"windows", "/data/rows.csv", missing, ""},
		{"windows", "/dev/stdin", errors.New("another reason"), ""},
		{"linux", "/dev/fd/9", missing, ""},
	} {
		hint := deviceHint(c.goos, c.path, c.err)
		if c.want == "" {
			require.Empty(t, hint, c)
		} else {
			require.Contains(t, hint, "write "+c.want, c)
		}
	}
}

func TestHintForAMissingInput(t *testing.T) {
	t.Parallel()
	missing := &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "payroll.csv"), nil, 0o600))
	require.Equal(t, shell.Hint("try FILE instead", shell.Values{"FILE": filepath.Join(folder, "payroll.csv")}),
		missingHint(filepath.Join(folder, "payrol.csv"), missing))
	require.Equal(t, "check the path, or write - for standard input", missingHint(filepath.Join(folder, "people"), missing))
	require.Contains(t, missingHint("no-such-folder/people.csv", missing), "check the path, which begins in ")
	require.Empty(t, missingHint("x", fs.ErrPermission))
}
