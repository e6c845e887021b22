package securefile_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/payctl/payctl/internal/securefile"
)

const good, bad = "the user's", "the victim's"

// prepare makes a folder with a file, and another one with a file of the same name.
func prepare(t *testing.T) (path, victim string) {
	t.Helper()
	above := t.TempDir()
	path, victim = filepath.Join(above, "folder", "file"), filepath.Join(above, "victim", "file")
	for file, text := range map[string]string{path: good, victim: bad, victim + securefile.TempSuffix: bad} {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return path, victim
}

// What another user exchanges while it is opened or written is neither read nor changed.
func TestFilesThatAreExchanged(t *testing.T) {
	t.Parallel()
	for name, attempt := range map[string]func(t *testing.T, path string){
		"read": func(t *testing.T, path string) {
			text, err := securefile.Read(path, 100, securefile.GroupAndOthers, "")
			if err == nil {
				require.Equal(t, good, string(text))
			}
		},
		"replace": func(_ *testing.T, path string) { _ = securefile.Replace(path, []byte(good)) },
		"write":   func(_ *testing.T, path string) { _ = securefile.Write(path, []byte(good)) },
		"remove": func(_ *testing.T, path string) {
			_ = securefile.Remove(path)
			_ = securefile.Replace(path, []byte(good))
		},
		"lock": func(t *testing.T, path string) {
			if release, err := securefile.Lock(t.Context(), path, time.Millisecond); err == nil {
				release()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, victim := prepare(t)
			runSwapping(t, path, victim, 0, func() { attempt(t, path) })
			if name == "write" { // the folder is one that the user has named, and may be a link
				return
			}
			path, victim = prepare(t)
			runSwapping(t, filepath.Dir(path), filepath.Dir(victim), 0, func() { attempt(t, path) })
			path, victim = prepare(t)
			require.NoError(t, os.Remove(victim)) // nothing is created either
			runSwapping(t, filepath.Dir(path), filepath.Dir(victim), 0, func() { attempt(t, path) })
		})
	}
}

// A trusted file is not read through a link that another user exchanges it with.
func TestTrustedFileThatIsExchanged(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a link away")
	}
	for _, folder := range []bool{false, true} {
		path, victim := prepare(t)
		from, to := path, victim
		if folder {
			from, to = filepath.Dir(path), filepath.Dir(victim)
		}
		runSwapping(t, from, to, 4711, func() {
			if text, err := securefile.ReadTrusted(path, 100); err == nil {
				require.Equal(t, good, string(text))
			}
		})
	}
}

// swapping is how long runSwapping tries: enough for hundreds of attempts.
const swapping = 300 * time.Millisecond

// runSwapping calls attempt again and again. Meanwhile, what is at path and a symbolic link to victim take each other's place, at
// random moments and each time in one step. Afterwards path is what it was, and the victim has to be unchanged. The link
// belongs to another user if owner is not 0.
func runSwapping(t *testing.T, path, victim string, owner int, attempt func()) {
	t.Helper()
	link := path + ".link"
	before := contents(t, victim)
	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- exchange(path, link, victim, owner, stop) }()
	end := sync.OnceValue(func() error {
		close(stop)
		return <-ended
	})
	defer func() { _ = end() }() // also if an attempt ends the test
	attempts := 0
	for begun := time.Now(); time.Since(begun) < swapping; attempts++ {
		attempt()
	}
	require.NoError(t, end())
	require.Greater(t, attempts, 1)
	require.Equal(t, before, contents(t, victim), "the victim of %d attempts", attempts)
}

// exchange exchanges path and link until stop is closed. A link that was replaced is made again.
func exchange(path, link, victim string, owner int, stop <-chan struct{}) error {
	for {
		if !isLink(path) && !isLink(link) {
			removed := os.Remove(link)
			if errors.Is(removed, fs.ErrNotExist) {
				removed = nil
			}
			if err := errors.Join(removed, os.Symlink(victim, link), os.Lchown(link, owner, -1)); err != nil {
				return err
			}
		}
		select {
		case <-stop:
			if isLink(path) {
				return swap(path, link)
			}
			return nil
		case <-time.After(time.Duration(rand.IntN(300)) * time.Microsecond):
		}
		if err := swap(path, link); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
}

func swap(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// contents are the modes and contents of a file, or of all files below a folder.
func contents(t *testing.T, path string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		var text []byte
		if info.Mode().IsRegular() {
			text, err = os.ReadFile(path)
		}
		all[path] = info.Mode().String() + " " + string(text)
		return err
	}))
	return all
}
