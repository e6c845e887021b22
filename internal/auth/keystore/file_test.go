package keystore

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/securefile"
)

// exercise tests what every store must do.
func exercise(t *testing.T, s Store) {
	t.Helper()
	ctx := t.Context()
	other := Key{Profile: testKey.Profile, Origin: "https://api.example.com:443"}
	_, err := s.Get(ctx, testKey)
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorIs(t, s.Delete(ctx, testKey), ErrNotFound)

	require.NoError(t, s.Set(ctx, testKey, testLogin()))
	got, err := s.Get(ctx, testKey)
	require.NoError(t, err)
	require.True(t, got == testLogin(), "%s", got)
	_, err = s.Get(ctx, other)
	require.ErrorIs(t, err, ErrNotFound, "a login belongs to one origin")

	bare := Login{AccessToken: "second", ObtainedAt: testNow.Add(time.Minute)}
	require.NoError(t, s.Set(ctx, testKey, bare))
	require.NoError(t, s.Set(ctx, other, Login{AccessToken: "third"}))
	got, err = s.Get(ctx, testKey)
	require.NoError(t, err)
	bare.Origin = testKey.Origin
	require.True(t, got == bare, "%s", got)
	require.ErrorContains(t, s.Set(ctx, other, bare), "issued by "+testKey.Origin)

	require.NoError(t, s.Delete(ctx, testKey))
	require.ErrorIs(t, s.Delete(ctx, testKey), ErrNotFound)
	got, err = s.Get(ctx, other)
	require.NoError(t, err)
	require.Equal(t, "third", got.AccessToken)
	require.NoError(t, s.Delete(ctx, other))

	ended, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, s.Set(ended, testKey, bare), context.Canceled)
	_, err = s.Get(ended, testKey)
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Get(ctx, testKey)
	require.ErrorIs(t, err, ErrNotFound, "nothing is stored after the context ends")
}

func newFile(t *testing.T) *fileStore {
	t.Helper()
	return &fileStore{folder{filepath.Join(t.TempDir(), "state", "payctl")}}
}

func TestFileStore(t *testing.T) {
	t.Parallel()
	s := newFile(t)
	_, err := s.Get(t.Context(), testKey)
	require.ErrorIs(t, err, ErrNotFound)
	require.NoDirExists(t, s.dir, "reading creates nothing")
	exercise(t, s)
	names, err := os.ReadDir(s.dir)
	require.NoError(t, err)
	require.Len(t, names, 1, "the last logout removes the file")
	require.Equal(t, lockName, names[0].Name())
}

// A damaged file or login is ErrCorrupt, not ErrNotFound. The error does not quote it, and the file stays as it is.
func TestWhatIsNoLoginIsLeftAlone(t *testing.T) {
	t.Parallel()
	good := `{"local@http://127.0.0.1:8700":{"origin":"http://127.0.0.1:8700","access_token":"t0k3n"}}`
	for name, text := range map[string]string{
		"empty": "", "torn": good[:60], "null": "null", "a list": "[]", "zeroes": strings.Repeat("\x00", 512),
		"trailing": good + "{}", "too long": good + strings.Repeat(" ", maxFile),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFile(t)
			require.NoError(t, os.MkdirAll(s.dir, 0o700))
			require.NoError(t, os.WriteFile(s.path(), []byte(text), 0o600))
			_, err := s.Get(t.Context(), testKey)
			for _, err := range []error{err, s.Delete(t.Context(), testKey), s.Set(t.Context(), testKey, testLogin())} {
				var e *Error
				require.ErrorAs(t, err, &e)
				require.ErrorIs(t, err, ErrCorrupt)
				require.NotContains(t, err.Error(), "t0k3n")
				require.Equal(t, securefile.Move(s.path()).Command, e.Next().Command)
			}
			data, err := os.ReadFile(s.path())
			require.NoError(t, err)
			require.Equal(t, text, string(data))
		})
	}
	for _, login := range []string{
		"", "null", "[]", `"hunter2"`, `{"access_token":"t0k3n"}`,
		`{"origin":"http://127.0.0.1:8701","access_token":"t0k3n"}`,
		`{"origin":"http://127.0.0.1:8700","access_token":17}`, `{"origin":"http://127.0.0.1:8700","expires_at":"t0k3n"}`,
	} {
		l, err := decode(testKey, []byte(login))
		require.ErrorIs(t, err, ErrCorrupt, login)
		require.Zero(t, l)
		require.NotRegexp(t, "t0k3n|hunter2", err.Error())
	}
}
