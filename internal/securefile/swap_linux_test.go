package securefile

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// What another user exchanges while it is opened or written is neither read nor changed. For a while, the file and a
// symbolic link to a victim take each other's place at random moments, each time in one step.
func TestFilesThatAreExchanged(t *testing.T) {
	t.Parallel()
	const good, bad = "the user's", "the victim's"
	for name, attempt := range map[string]func(t *testing.T, path string){
		"read": func(t *testing.T, path string) {
			if text, err := Read(path, 100, GroupAndOthers, ""); err == nil {
				require.Equal(t, good, string(text))
			}
		},
		"replace": func(_ *testing.T, path string) { _ = Replace(path, []byte(good)) },
		"write":   func(_ *testing.T, path string) { _ = Write(path, []byte(good)) },
		"remove": func(_ *testing.T, path string) {
			_ = Remove(path)
			_ = Replace(path, []byte(good))
		},
		"lock": func(t *testing.T, path string) {
			if release, err := Lock(t.Context(), path, time.Millisecond); err == nil {
				release()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path, victim := filepath.Join(folder, "file"), filepath.Join(t.TempDir(), "file")
			require.NoError(t, os.Chmod(folder, 0o700))
			require.NoError(t, os.WriteFile(path, []byte(good), 0o600))
			require.NoError(t, os.WriteFile(victim, []byte(bad), 0o600))
			stop, ended := make(chan struct{}), make(chan error, 1)
			go func() { ended <- exchange(path, path+".link", victim, stop) }()
			for range 200 {
				attempt(t, path)
			}
			close(stop)
			require.NoError(t, <-ended)
			text, err := os.ReadFile(victim)
			require.NoError(t, err)
			require.Equal(t, bad, string(text))
		})
	}
}

// exchange exchanges path and a link until stop is closed. A link that was replaced is made again.
func exchange(path, link, victim string, stop <-chan struct{}) error {
	for {
		if !isLink(path) && !isLink(link) {
			removed := os.Remove(link)
			if errors.Is(removed, fs.ErrNotExist) {
				removed = nil
			}
			if err := errors.Join(removed, os.Symlink(victim, link)); err != nil {
				return err
			}
		}
		select {
		case <-stop:
			return nil
		case <-time.After(time.Duration(rand.IntN(300)) * time.Microsecond):
		}
		err := unix.Renameat2(unix.AT_FDCWD, path, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
