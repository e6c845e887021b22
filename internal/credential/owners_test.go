package credential

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// silent is a keyring that must not be read.
type silent struct{ Store }

func (silent) Set(context.Context, Key, Login) error { return nil }

func (silent) Delete(context.Context, Key) error { return nil }

func TestNotesTellWhoseALoginIsWithoutTheStore(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "state")
	dir := filepath.Join(folder, "owners")
	store := &noted{silent{}, folder}
	desk, other := Key{"desk", "https://a.example:443"}, Key{"desk", "https://b.example:443"}
	require.False(t, store.MayHold(desk, "me"), "nothing is known of a login that was stored before there were notes")
	require.NoError(t, store.Set(t.Context(), desk, Login{ClientID: "me", AccessToken: "token", ClientSecret: "secret"}))
	require.True(t, store.MayHold(desk, "me"))
	require.False(t, store.MayHold(desk, "you"))
	require.False(t, store.MayHold(other, "me"), "a login is for one origin")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1)
	content, err := os.ReadFile(filepath.Join(dir, files[0].Name()))
	require.NoError(t, err)
	require.Equal(t, "me", string(content), "no secret is in a note")
	require.NoError(t, store.Set(t.Context(), desk, Login{ClientID: "you"}))
	require.False(t, store.MayHold(desk, "me"))
	require.NoError(t, store.Delete(t.Context(), desk))
	require.False(t, store.MayHold(desk, "you"))
}

func TestALoginIsStoredWhereNoNoteCanBeKept(t *testing.T) {
	t.Parallel()
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	store := &noted{silent{}, blocked}
	require.NoError(t, store.Set(t.Context(), Key{"a", "b"}, Login{ClientID: "me"}))
	require.False(t, store.MayHold(Key{"a", "b"}, "me"))
}

// Processes change a keyring one after the other: of two at once, one would read back what the other stored, and take it for
// its own failure.
func TestProcessesChangeAKeyringOneAfterTheOther(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	fake := newFake()
	var inside atomic.Int32 // between storing and reading back
	fake.set = func(user, value string) error {
		if inside.Add(1) > 1 {
			t.Error("two are storing at once")
		}
		runtime.Gosched()
		fake.mu.Lock()
		defer fake.mu.Unlock()
		fake.items[user] = value
		return nil
	}
	fake.get = func(user string) (string, error) {
		defer inside.Add(-1)
		fake.mu.Lock()
		defer fake.mu.Unlock()
		return fake.items[user], nil
	}
	var processes sync.WaitGroup
	for range 8 {
		processes.Go(func() {
			store := &noted{newRing(fake), dir} // with locks of its own, as another process has
			for range 10 {
				if err := store.Set(t.Context(), testKey, testLogin()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	processes.Wait()
}

// One who waits for another process waits no longer than for a keyring.
func TestAProcessThatHoldsTheKeyring(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	release, err := lockFile(t.Context(), filepath.Join(dir, "keyring.lock"), time.Second)
	require.NoError(t, err)
	defer release()
	began := time.Now()
	err = (&noted{silent{}, dir}).Set(t.Context(), testKey, testLogin())
	require.ErrorIs(t, err, ErrTimeout)
	require.Less(t, time.Since(began), KeyringTimeout+time.Second)
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Contains(t, e.Next(), "wait for the other payctl")
}
