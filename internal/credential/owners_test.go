package credential

import (
	"context"
	"os"
	"path/filepath"
	"testing"

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
