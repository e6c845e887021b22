//go:build !windows

package e2e

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a person at a terminal is told to do next leads to the service that the command asked.
func TestNextStepsAtATerminal(t *testing.T) {
	t.Parallel()
	url := serve(t)
	s := newSession(t, url)
	run := func(text, keys string, args ...string) string {
		t.Helper()
		shown, code := s.terminal([]string{"PAYCTL_BASE_URL=", "PAYCTL_CLIENT_ID=", "PAYCTL_CLIENT_SECRET="}, text, press(keys), args...)
		require.Zero(t, code, shown)
		return unfolded(shown)
	}
	login := []string{"auth", "login", "--client-id", t.Name(), "--base-url", url}
	create := []string{"accounts", "create", "--type", "individual", "--first-name", "Ada", "--last-name", "L", "--email", "ada@example.com", "--country", "GB"}
	const secret = "Client secret"

	require.Contains(t, run(secret, "secret\r", login...), "The profile local has base_url "+url+" from now on")
	require.Contains(t, run("", "", append(create, "--base-url", url)...), "Next: payctl --base-url "+url+" kyc watch acc_")
	require.Contains(t, run("", "", create...), "Next: payctl kyc watch acc_")
	require.NotContains(t, run(secret, "secret\r", login...), "Next:")

	// A login in another store than the profile's is found by the commands that follow: the profile remembers it.
	inFile := append(login, "--credential-store", "file")
	shown, code := s.terminal([]string{"PAYCTL_BASE_URL=", "PAYCTL_CLIENT_ID=", "PAYCTL_CLIENT_SECRET=", "PAYCTL_CREDENTIAL_STORE="}, secret, press("secret\r"), inFile...)
	require.Zero(t, code, shown)
	require.Contains(t, unfolded(shown), "To undo that: payctl profile set local credential_store ''")
	require.NotContains(t, shown, "Next:")
	require.NotContains(t, run(secret, "secret\r", inFile...), "remembers", "it is known by now")
}

// unfolded is what a terminal shows, with the lines put together into which a text was broken.
func unfolded(shown string) string {
	return regexp.MustCompile(`(\x1b\[0m)?\r\n +(\x1b\[[\d;]+m)?`).ReplaceAllString(shown, " ")
}
