package cmdutil

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
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
