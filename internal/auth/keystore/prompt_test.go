package keystore

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// untouched is a keyring that must not be called, since a call could open a dialog.
type untouched struct{ t *testing.T }

func (u untouched) Set(string, string, string) error { u.t.Error("set"); return nil }
func (u untouched) Get(string, string) (string, error) {
	u.t.Error("a locked keyring was asked")
	return "", nil
}
func (u untouched) Delete(string, string) error { u.t.Error("delete"); return nil }

func TestGetWithoutPromptUnlocksNothing(t *testing.T) {
	t.Parallel()
	key := Key{Profile: "p", Origin: "https://x.example:443"}
	locked := func(context.Context, func()) (bool, error) { return true, nil }
	store := &keyringStore{timeout: KeyringTimeout, backend: untouched{t}, probe: locked}
	_, err := GetWithoutPrompt(t.Context(), store, key)
	require.ErrorIs(t, err, ErrLocked)
	problem, ok := errors.AsType[*Error](err)
	require.True(t, ok)
	require.NotEmpty(t, problem.Next())
}

func TestGetWithoutPromptEndsWithAKeyringThatNeverAnswers(t *testing.T) {
	t.Parallel()
	silent := func(ctx context.Context, _ func()) (bool, error) { <-ctx.Done(); return false, ctx.Err() }
	store := &keyringStore{timeout: 1, backend: untouched{t}, probe: silent}
	_, err := GetWithoutPrompt(t.Context(), store, Key{Profile: "p", Origin: "https://x.example:443"})
	require.ErrorIs(t, err, ErrTimeout)
}

func TestGetWithoutPromptInAFileIsGet(t *testing.T) {
	t.Parallel()
	key := Key{Profile: "p", Origin: "https://x.example:443"}
	store := NewFile(t.TempDir())
	_, err := GetWithoutPrompt(t.Context(), store, key)
	require.ErrorIs(t, err, ErrNotFound)
	require.NoError(t, store.Set(t.Context(), key, Login{AccessToken: "t", ClientID: "c"}))
	login, err := GetWithoutPrompt(t.Context(), store, key)
	require.NoError(t, err)
	require.Equal(t, "c", login.ClientID)
}
