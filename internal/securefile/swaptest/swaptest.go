//go:build linux

// Package swaptest exchanges files and folders with symbolic links while a test opens or writes them.
package swaptest

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
)

// duration is how long Run tries: enough for hundreds of attempts.
const duration = 300 * time.Millisecond

// Run calls attempt again and again. Meanwhile, what is at path and a symbolic link to victim take each other's place, at
// random moments and each time in one step. Afterwards path is what it was, and the victim has to be unchanged. The link
// belongs to another user if owner is not 0.
func Run(t *testing.T, path, victim string, owner int, attempt func()) {
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
	for begun := time.Now(); time.Since(begun) < duration; attempts++ {
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
		case <-time.After(time.Duration(rand.IntN(300)) * time.Microsecond): //nolint:gosec // any moment will do
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
			text, err = os.ReadFile(path) //nolint:gosec // nothing exchanges it any more
		}
		all[path] = info.Mode().String() + " " + string(text)
		return err
	}))
	return all
}
