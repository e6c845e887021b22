package keystore

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/securefile"
)

func newDir(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "state", "payctl")
}

func TestFileStore(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	exercise(t, NewFile(dir))
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, names, 1, "the last logout takes the file away")
	require.Equal(t, lockName, names[0].Name())
}

func TestFileReadingCreatesNothing(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	_, err := NewFile(dir).Get(t.Context(), testKey)
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorIs(t, NewFile(dir).Delete(t.Context(), testKey), ErrNotFound)
	require.NoDirExists(t, dir)
}

func TestFileCorruptIsLeftAlone(t *testing.T) {
	t.Parallel()
	whole := `{"version":1,"logins":[{"profile":"local","origin":"http://127.0.0.1:8700","access_token":"t0k3n"}]}`
	for name, text := range map[string]string{
		"empty": "", "torn": whole[:60], "zeroes": strings.Repeat("\x00", 512), "newer": `{"version":2}`,
		"too long": whole + strings.Repeat(" ", maxFile),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.Chmod(dir, 0o700))
			path := filepath.Join(dir, fileName)
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			s := NewFile(dir)
			_, err := s.Get(t.Context(), testKey)
			require.ErrorIs(t, err, ErrCorrupt)
			require.NotContains(t, err.Error(), "t0k3n")
			require.ErrorContains(t, err, path)
			require.ErrorIs(t, s.Delete(t.Context(), testKey), ErrCorrupt)
			err = s.Set(t.Context(), testKey, testLogin())
			require.ErrorIs(t, err, ErrCorrupt)
			var e *Error
			require.ErrorAs(t, err, &e)
			require.Contains(t, e.Next(), securefile.MoveCommand(path))
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, text, string(data))
		})
	}
}

// What a killed writer left may have the secret of a login. A logout and a Get that finds no login remove it; a Get that
// finds neither needs nothing, and one login's removal keeps the others.
func TestFileLeftoverIsRemoved(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := NewFile(dir)
	temp, other := filepath.Join(dir, fileName+securefile.TempSuffix), Key{Profile: "other", Origin: testKey.Origin}
	_, err := s.Get(t.Context(), other)
	require.ErrorIs(t, err, ErrNotFound)
	require.NoFileExists(t, filepath.Join(dir, lockName))
	require.NoError(t, s.Set(t.Context(), testKey, testLogin()))
	for _, remove := range []func() error{
		func() error { _, err := s.Get(t.Context(), other); return err },
		func() error { return s.Delete(t.Context(), other) },
	} {
		require.NoError(t, os.WriteFile(temp, []byte(`{"version":1,"log`), 0o600))
		require.ErrorIs(t, remove(), ErrNotFound)
		require.NoFileExists(t, temp)
	}
	got, err := s.Get(t.Context(), testKey)
	require.NoError(t, err)
	require.True(t, got == testLogin())
}

// Writers in one process meet at the lock as writers in several do: each opens it anew.
func TestFileConcurrentWriters(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	const writers, rounds = 8, 5
	var wg sync.WaitGroup
	errs := make(chan error, writers*rounds*2)
	for w := range writers {
		wg.Go(func() {
			s := NewFile(dir)
			k := Key{Profile: fmt.Sprint("p", w), Origin: testKey.Origin}
			for r := range rounds {
				errs <- s.Set(t.Context(), k, Login{AccessToken: fmt.Sprint(w, "/", r)})
				got, err := s.Get(t.Context(), k)
				if err == nil && got.AccessToken != fmt.Sprint(w, "/", r) {
					err = fmt.Errorf("%s holds %s", k, got.AccessToken)
				}
				errs <- err
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	data, err := os.ReadFile(filepath.Join(dir, fileName))
	require.NoError(t, err)
	var d fileContent
	require.NoError(t, json.Unmarshal(data, &d))
	require.Len(t, d.Logins, writers, "no writer lost another's login")
}

func TestFileWaitsForTheLock(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := &fileStore{dir: dir, lockTimeout: 30 * time.Millisecond}
	require.NoError(t, s.Set(t.Context(), testKey, testLogin()))
	held := flock.New(filepath.Join(dir, lockName))
	ok, err := held.TryLock()
	require.NoError(t, err)
	require.True(t, ok)

	err = s.Set(t.Context(), testKey, Login{AccessToken: "next"})
	require.ErrorIs(t, err, ErrTimeout)
	require.NotErrorIs(t, err, context.DeadlineExceeded)

	s.lockTimeout = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	err = s.Delete(ctx, testKey)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, ErrTimeout)

	require.NoError(t, held.Unlock())
	require.NoError(t, s.Delete(t.Context(), testKey))
}
