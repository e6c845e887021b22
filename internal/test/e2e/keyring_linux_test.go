package e2e

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/auth/keystore/keyringtest"
	"github.com/payctl/payctl/internal/test/paytest"
)

var (
	readCalls = [][]string{
		{"accounts", "list", "-o", "json"}, {"auth", "status", "-o", "json"}, {"auth", "token", "-o", "json"},
		{"auth", "refresh", "-o", "json"}, {"auth", "logout", "-o", "json"}, logIn,
		{"accounts", "create", "--type", "individual", "--first-name", "A", "--last-name", "B", "--email", "a@example.com", "--country", "GB", "-o", "json"},
	}
)

// What every command does when there is no keyring, or none that answers.
func TestKeyringThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	service := deskService(t)
	const absent, locked, timeout = "keyring-absent", "keyring-locked", "keyring-timeout"
	const inFile = "--credential-store file"
	misbehaves := func(method string, reaction keyringtest.Reaction) func(*testing.T) string {
		return func(t *testing.T) string {
			bus := keyringtest.Bus(t, keyringtest.Open)
			keyringtest.Serve(t, bus, map[string]keyringtest.Reaction{method: reaction})
			return bus
		}
	}
	real := func(prepare func(t *testing.T, bus string, ring *keyringtest.Keyring)) func(*testing.T) string {
		return func(t *testing.T) string {
			bus := keyringtest.Bus(t, keyringtest.Open)
			prepare(t, bus, keyringtest.Gnome(t, bus, true))
			return bus
		}
	}
	for name, c := range map[string]struct {
		bus              func(t *testing.T) string
		kind, cause, way string
	}{
		"no bus":                       {func(t *testing.T) string { return "unix:path=" + filepath.Join(t.TempDir(), "nothing") }, absent, "there is no keyring", inFile},
		"no bus is named":              {func(*testing.T) string { return "" }, absent, "there is no keyring", inFile},
		"a bus without a service":      {func(t *testing.T) string { return keyringtest.Bus(t, keyringtest.Open) }, absent, "there is no keyring", inFile},
		"a bus that never answers":     {func(t *testing.T) string { return keyringtest.Silent(t) }, timeout, "no answer in time", inFile},
		"a bus that withholds answers": {func(t *testing.T) string { return keyringtest.Bus(t, keyringtest.Mute) }, timeout, "no answer in time", inFile},
		"no default collection": {func(t *testing.T) string {
			bus := keyringtest.Bus(t, keyringtest.Open)
			keyringtest.Gnome(t, bus, false)
			return bus
		}, absent, "no default collection", inFile},
		"locked, and nobody to show a dialog": {real(func(_ *testing.T, _ string, ring *keyringtest.Keyring) { ring.Lock() }), locked, "the keyring is locked", "unlock"},
		"locked, and nobody answers the dialog": {real(func(t *testing.T, bus string, ring *keyringtest.Keyring) {
			keyringtest.Prompt(t, bus, false)
			ring.Lock()
		}), locked, "the keyring is locked", "unlock"},
		"locked, and the dialog is dismissed": {real(func(t *testing.T, bus string, ring *keyringtest.Keyring) {
			keyringtest.Prompt(t, bus, true)
			ring.Lock()
		}), locked, "the keyring is locked", "unlock"},
		"a service that hangs at the search":  {misbehaves("SearchItems", keyringtest.Hang), timeout, "no answer in time", inFile},
		"a service that hangs at the unlock":  {misbehaves("Unlock", keyringtest.Hang), timeout, "no answer in time", inFile},
		"a service that refuses oddly":        {misbehaves("SearchItems", keyringtest.Refuse), "credential-store", "it cannot be done", inFile},
		"a service whose dialog is ignored":   {misbehaves("Unlock", keyringtest.Ignore), timeout, "no answer in time", inFile},
		"a service whose dialog is dismissed": {misbehaves("Unlock", keyringtest.Dismiss), "credential-store", "failed to unlock", inFile},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKeeper(t, service, c.bus(t))
			k.refuses(readCalls, c.kind, c.cause, c.way)
		})
	}
}

// A service that crashes while it is asked is missed at once, also by a command that waits for a dialog.
func TestKeyringThatCrashes(t *testing.T) {
	t.Parallel()
	service := deskService(t)
	for _, method := range []string{"Unlock", "SearchItems"} {
		t.Run("at "+method, func(t *testing.T) {
			t.Parallel()
			bus := keyringtest.Bus(t, keyringtest.Open)
			keyringtest.Serve(t, bus, map[string]keyringtest.Reaction{method: keyringtest.Vanish})
			newKeeper(t, service, bus).refuses(readCalls, "keyring-absent", "there is no keyring", "start a secret service")
		})
	}
	t.Run("gnome-keyring, killed behind its dialog", func(t *testing.T) {
		t.Parallel()
		if paytest.Raced {
			t.Skip("the dialog has to be there within the three seconds for which a keyring is waited for, of which programs under the race detector need too many")
		}
		bus := keyringtest.Bus(t, keyringtest.Open)
		ring, person := keyringtest.Gnome(t, bus, true), keyringtest.Prompt(t, bus, false)
		ring.Lock()
		go func() { <-person.Shown; ring.Kill() }()
		newKeeper(t, service, bus).refuses(readCalls[:1], "keyring-absent", "ended in the middle of the call", "start a secret service")
	})
}

// Whatever a keyring claims of a login that it did not store, the program looks.
func TestKeyringThatStoresNothing(t *testing.T) {
	t.Parallel()
	service := deskService(t)
	for name, c := range map[string]struct {
		reaction         keyringtest.Reaction
		kind, cause, way string
	}{
		"dismissed":  {keyringtest.Dismiss, "credential-store", "the login was not stored", "see whether a dialog of the keyring was dismissed"},
		"unanswered": {keyringtest.Ignore, "keyring-timeout", "no answer in time", "see whether the keyring waits for you in a dialog"},
		"hung":       {keyringtest.Hang, "keyring-timeout", "no answer in time", "--credential-store file"},
		"crashed":    {keyringtest.Vanish, "keyring-absent", "there is no keyring", "start a secret service"},
		"refused":    {keyringtest.Refuse, "credential-store", "it cannot be done", "--credential-store file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bus := keyringtest.Bus(t, keyringtest.Open)
			ring := keyringtest.Serve(t, bus, map[string]keyringtest.Reaction{"CreateItem": c.reaction})
			k := newKeeper(t, service, bus)
			e := k.run(deskSecret+"\n", logIn...)
			require.Equal(t, 4, e.code, e.stderr)
			require.Contains(t, e.stderr, c.cause)
			require.Contains(t, e.stderr, c.way)
			require.Contains(t, e.stdout, `"payctl:`+c.kind+`"`)
			require.NotContains(t, e.stderr+e.stdout, deskSecret)
			require.Empty(t, ring.Held())
			k.nothingStored()
		})
	}
	t.Run("kept after a logout", func(t *testing.T) {
		t.Parallel()
		bus := keyringtest.Bus(t, keyringtest.Open)
		ring := keyringtest.Serve(t, bus, map[string]keyringtest.Reaction{"Delete": keyringtest.Dismiss})
		k := newKeeper(t, service, bus)
		k.must(deskSecret+"\n", logIn...)
		e := k.run("", "auth", "logout")
		require.Equal(t, 4, e.code, e.stderr)
		require.Contains(t, e.stderr, "the login was not deleted")
		require.Contains(t, e.stderr, "payctl auth logout again")
		require.NotEmpty(t, ring.Held())
	})
}

// A logout says if the store that the profile does not use may have a login still.
func TestLogoutWithALockedKeyring(t *testing.T) {
	t.Parallel()
	k, ring, _ := loggedInTwice(t, deskService(t))
	gnome := ring.(*keyringtest.Keyring)
	gnome.Lock()
	e := k.run("", "auth", "logout", "--credential-store", "file")
	require.Equal(t, 4, e.code, "a login is left, and that is told")
	require.Contains(t, e.stderr, "the keyring is locked")
	require.Empty(t, filesWith(t, k.dir, deskSecret))
	gnome.Unlock()
	k.must("", "auth", "logout", "--credential-store", "file")
	require.Empty(t, ring.Held(k.keyringUser()))
}
