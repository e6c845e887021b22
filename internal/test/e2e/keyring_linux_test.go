package e2e

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/testkit"
)

// Every command fails with a helpful error if there is no keyring, or none that answers.
func TestKeyringThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	service := serve(t)
	calls := [][]string{
		{"accounts", "list", "-o", "json"}, {"auth", "status", "-o", "json"}, {"auth", "token", "-o", "json"},
		{"auth", "logout", "-o", "json"}, logIn,
		{"accounts", "create", "--type", "individual", "--first-name", "A", "--last-name", "B", "--email", "a@example.com",
			"--country", "GB", "-o", "json"},
	}
	nothing := "unix:path=" + filepath.Join(t.TempDir(), "nothing")
	for name, c := range map[string]struct{ bus, problem, cause string }{
		"no bus":                   {nothing, "keyring-absent", "there is no keyring"},
		"no bus is named":          {"", "keyring-absent", "there is no keyring"},
		"a bus without a service":  {testkit.StartBus(t), "keyring-absent", "there is no keyring"},
		"a bus that never answers": {testkit.StartSilentBus(t), "keyring-timeout", "no answer in time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newKeeper(t, service, c.bus).refuses(calls, c.problem, c.cause, "--credential-store file")
		})
	}
}

// A logout says if the store that the profile does not use may still have a login.
func TestLogoutWithALockedKeyring(t *testing.T) {
	t.Parallel()
	k, ring, _ := loggedInTwice(t, serve(t))
	ring.Lock()
	e := k.run("auth", "logout", "--credential-store", "file")
	require.Equal(t, 4, e.code, "a login is left, and the error says so")
	require.Regexp(t, "the keyring is locked|no answer in time", e.stderr)
	require.Empty(t, k.filesWith(deskSecret))
}
