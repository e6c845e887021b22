//go:build unix

package settings

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const trusted = "current: local\n"

// A user who can change the configuration decides where credentials are sent.
func TestConfigurationThatOthersMayHaveChanged(t *testing.T) {
	t.Parallel()
	asRoot := func(t *testing.T) {
		t.Helper()
		if os.Geteuid() != 0 {
			t.Skip("only root can give a file away")
		}
	}
	open := func(_ *testing.T, path, _ string) error { return os.Chmod(filepath.Dir(path), 0o777|os.ModeSticky) }
	give := func(t *testing.T, path, _ string) error { asRoot(t); return os.Chown(path, 4711, -1) }
	giveFolder := func(t *testing.T, path, elsewhere string) error { return give(t, filepath.Dir(path), elsewhere) }
	for name, c := range map[string]struct {
		spoil func(t *testing.T, path, elsewhere string) error
		says  string
	}{
		"writable by the group": {func(_ *testing.T, path, _ string) error { return os.Chmod(path, 0o620) }, "chmod go-w"},
		"writable by everybody": {func(_ *testing.T, path, _ string) error { return os.Chmod(path, 0o602) }, "chmod go-w"},
		"a folder of everybody": {open, "chmod go-w"},
		"another user's":        {give, "belongs to user 4711"},
		"in another's folder":   {giveFolder, "belongs to user 4711"},
		"another user's link": {func(t *testing.T, path, elsewhere string) error {
			asRoot(t)
			return errors.Join(relink(path, elsewhere), os.Lchown(path, 4711, -1))
		}, "belongs to user 4711"},
		"a link to another's": {func(t *testing.T, path, elsewhere string) error {
			asRoot(t)
			return errors.Join(relink(path, elsewhere), os.Chown(elsewhere, 4711, -1))
		}, "belongs to user 4711"},
		"a link to a loose file": {func(_ *testing.T, path, elsewhere string) error {
			return errors.Join(relink(path, elsewhere), os.Chmod(elsewhere, 0o666))
		}, "chmod go-w"},
		"a pipe": {func(_ *testing.T, path, _ string) error {
			return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600))
		}, "not a regular file"},
		"a link to a pipe": {func(_ *testing.T, path, elsewhere string) error {
			return errors.Join(relink(path, elsewhere), os.Remove(elsewhere), syscall.Mkfifo(elsewhere, 0o600))
		}, "not a regular file"},
		"a device": {func(_ *testing.T, path, _ string) error { return relink(path, "/dev/zero") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "elsewhere")
			require.NoError(t, os.Chmod(dir, 0o700))
			path := filepath.Join(dir, FileName)
			require.NoError(t, os.WriteFile(path, []byte(trusted), 0o600))
			require.NoError(t, os.WriteFile(elsewhere, []byte(trusted), 0o600))
			require.NoError(t, c.spoil(t, path, elsewhere))
			_, err := Load(dir)
			var bad *Error
			require.ErrorAs(t, err, &bad)
			require.ErrorAs(t, err, new(*Error))
			require.Contains(t, bad.Error(), c.says)
		})
	}
}

func relink(path, to string) error { return errors.Join(os.Remove(path), os.Symlink(to, path)) }

// A file of the user is read, even through a link and if others can read it.
func TestConfigurationThatIsKeptElsewhere(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "elsewhere")
	require.NoError(t, os.WriteFile(elsewhere, []byte(trusted), 0o600))
	require.NoError(t, os.Chmod(elsewhere, 0o444))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, FileName)))
	f, err := Load(dir)
	require.NoError(t, err)
	require.Equal(t, "local", f.Current())
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	_, err = Load(link)
	require.NoError(t, err)
}
