package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/auth/keystore/keyringtest"
	"github.com/payctl/payctl/internal/test/paytest"
)

// endsWithin is how long a command may take whatever the keyring does.
func endsWithin() time.Duration {
	if paytest.Raced {
		return 10 * time.Second // the program itself takes long to start
	}
	return 4 * time.Second
}

var (
	readCalls = [][]string{
		{"accounts", "list", "-o", "json"}, {"auth", "status", "-o", "json"}, {"auth", "token", "-o", "json"},
		{"auth", "refresh", "-o", "json"}, {"auth", "logout", "-o", "json"}, logIn,
		{"accounts", "create", "--type", "individual", "--first-name", "A", "--last-name", "B", "--email", "a@example.com", "--country", "GB", "-o", "json"},
	}
)

// refuses runs commands, at once, that have to fail for want of their keyring: soon, with exit code 4 and a sentence that
// names the cause and the way out, and without sending or storing anything anywhere.
func (k *keeper) refuses(calls [][]string, kind, cause, way string) {
	k.t.Helper()
	before := k.service.sent.Load()
	all := make([]ended, len(calls))
	var running sync.WaitGroup
	for i, args := range calls {
		running.Go(func() {
			all[i] = k.run(deskSecret+"\n", args...)
			late := func(e ended) bool { // on a machine that is busy with other tests
				return e.took >= endsWithin() || !strings.Contains(e.stderr, cause) && strings.Contains(e.stderr, "not unlocked in time")
			}
			for tries := 1; late(all[i]) && tries < 3; tries++ {
				all[i] = k.run(deskSecret+"\n", args...)
			}
		})
	}
	running.Wait()
	for i, e := range all {
		line := strings.Join(calls[i], " ")
		require.Equal(k.t, 4, e.code, "%s: %s", line, e.stderr)
		require.Less(k.t, e.took, endsWithin(), line)
		require.Contains(k.t, e.stderr, cause, line)
		require.Contains(k.t, e.stderr, way, line)
		require.NotContains(k.t, e.stderr+e.stdout, deskSecret, line)
		if line == "auth status -o json" { // which says it in its own form
			var status struct{ Store, State, Reason, Next string }
			require.NoError(k.t, json.Unmarshal([]byte(e.stdout), &status))
			require.Equal(k.t, "keyring", status.Store)
			require.Equal(k.t, kind == "keyring-locked", status.State == "locked", status.State)
			require.Contains(k.t, status.Reason, cause)
			require.Contains(k.t, status.Next, way)
			continue
		}
		var problem struct{ Type, Detail string }
		require.NoError(k.t, json.Unmarshal([]byte(e.stdout), &problem), "%s: %s", line, e.stdout)
		require.Equal(k.t, "payctl:"+kind, problem.Type, line)
		require.Contains(k.t, problem.Detail, cause, line)
	}
	require.Equal(k.t, before, k.service.sent.Load(), "something was sent without the credential that was meant")
	k.nothingStored()
}

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
			require.Less(t, e.took, endsWithin())
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
	t.Run("too large", func(t *testing.T) {
		t.Parallel()
		bus := keyringtest.Bus(t, keyringtest.Open)
		ring := keyringtest.Serve(t, bus, nil)
		large := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"access_token":%q,"token_type":"Bearer","expires_in":3600,"scope":""}`, strings.Repeat("t", 70<<10))
		}))
		t.Cleanup(large.Close)
		k := newKeeper(t, large.URL, bus)
		e := k.run(deskSecret+"\n", logIn...)
		require.Equal(t, 4, e.code, e.stderr)
		require.Contains(t, e.stderr, "too large")
		require.Contains(t, e.stderr, "--credential-store file")
		require.Empty(t, ring.Held())
		k.nothingStored()
	})
}

// TestKeyringThatHoldsSomethingElse: an item that is not a login is not used, and a login or logout replaces it.
func TestKeyringThatHoldsSomethingElse(t *testing.T) {
	t.Parallel()
	service := deskService(t)
	for name, value := range map[string]string{
		"text":                     "hunter2-of-another",
		"a login of another host":  `{"version":1,"origin":"https://elsewhere.example:443","client_id":"desk","access_token":"hunter2-of-another"}`,
		"a login cut short":        `{"version":1,"origin":"http://127.0`,
		"a later version's":        `{"version":2,"origin":"hunter2-of-another"}`,
		"a login without a secret": `{"version":1,"access_token":"hunter2-of-another"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bus := keyringtest.Bus(t, keyringtest.Open)
			ring := keyringtest.Serve(t, bus, nil)
			ring.Hold(value)
			k := newKeeper(t, service, bus)
			for _, args := range [][]string{{"accounts", "list", "-o", "json"}, {"auth", "refresh", "-o", "json"}, {"auth", "token", "-o", "json"}} {
				k.refuses([][]string{args}, "credential-store", "not readable as a login", "run payctl auth logout and payctl auth login")
				require.Equal(t, value, ring.Held(), "it is left as it is")
			}
			e := k.run("", "auth", "status", "-o", "json")
			require.NotContains(t, e.stdout+e.stderr, "hunter2")
			require.Equal(t, 4, e.code)
			k.must("", "auth", "logout")
			require.Empty(t, ring.Held())
			ring.Hold(value)
			k.must(deskSecret+"\n", logIn...)
			k.must("", "accounts", "list", "-o", "json")
		})
	}
}
