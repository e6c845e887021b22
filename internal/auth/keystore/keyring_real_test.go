//go:build linux || windows

package keystore

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// testUser is the user name of testKey in the keyring.
const testUser = "local@http://127.0.0.1:8700"

// newKeyring returns the store with the time that a keyring may take on a machine that is busy with other tests.
func newKeyring() Store { return &keyringStore{timeout: 5 * time.Minute} }

func TestRealKeyring(t *testing.T) {
	ring := realKeyring(t)
	s := newKeyring()
	exercise(t, s)

	t.Run("as others see it", func(t *testing.T) {
		require.NoError(t, s.Set(t.Context(), testKey, testLogin()))
		require.Contains(t, ring.Held(testUser), `"access_token":"t0k3n-value"`)
		require.NoError(t, s.Delete(t.Context(), testKey))
		require.Empty(t, ring.Held(testUser))
	})
	t.Run("names that differ in their case alone", func(t *testing.T) {
		profiles := []string{"prod", "Prod", "PROD", "%50rod", "prod webhooks", strings.Repeat("p", 64)}
		key := func(profile string) Key { return Key{Profile: profile, Origin: testKey.Origin} }
		for _, profile := range profiles {
			require.NoError(t, s.Set(t.Context(), key(profile), Login{ClientID: profile, AccessToken: "t"}))
		}
		for _, profile := range profiles {
			got, err := s.Get(t.Context(), key(profile))
			require.NoError(t, err, profile)
			require.Equal(t, profile, got.ClientID)
		}
		for _, profile := range profiles {
			require.NoError(t, s.Delete(t.Context(), key(profile)), profile)
			require.ErrorIs(t, s.Delete(t.Context(), key(profile)), ErrNotFound, profile)
		}
	})
}

// A process that goes on for hours keeps nothing of the calls behind it.
func TestRealKeyringLeavesNothingBehind(t *testing.T) {
	realKeyring(t)
	s := newKeyring()
	require.NoError(t, s.Set(t.Context(), testKey, testLogin())) // go-keyring keeps one connection from here on
	before := goleak.IgnoreCurrent()
	for range 3 {
		_, err := s.Get(t.Context(), testKey)
		require.NoError(t, err)
	}
	goleak.VerifyNone(t, before)
	require.NoError(t, s.Delete(t.Context(), testKey))
}
