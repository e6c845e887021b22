package e2e

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/testkit"
)

// inEveryStore runs a test with the real keyring and with the credential file.
func inEveryStore(t *testing.T, test func(t *testing.T, k *keeper)) {
	t.Helper()
	service := serve(t)
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		k := newKeeper(t, service, "")
		k.env = append(k.env, "PAYCTL_CREDENTIAL_STORE=file")
		test(t, k)
	})
	t.Run("keyring", func(t *testing.T) {
		t.Parallel()
		k, _ := withKeyring(t, service)
		test(t, k)
	})
}

// withKeyring returns a keeper that uses the real keyring, and that keyring.
func withKeyring(t *testing.T, service string) (*keeper, *testkit.Keyring) {
	t.Helper()
	ring, bus := testkit.StartKeyring(t)
	return newKeeper(t, service, bus), ring
}

// keyringUser is the user name of the default profile's login in the keyring.
func (k *keeper) keyringUser() string { return "local@" + k.service.url }

func TestManyProcessesRenewOnce(t *testing.T) {
	t.Parallel()
	inEveryStore(t, func(t *testing.T, k *keeper) {
		k.service.short.Store(1)
		k.typing(deskSecret).must(logIn...)
		for _, e := range k.atOnce(8, "accounts", "list", "-o", "json") {
			require.Zero(t, e.code, e.stderr)
			require.Empty(t, e.stderr)
		}
		require.EqualValues(t, 2, k.service.tokens.Load(), "one for the login, one for all renewals")
	})
}

func TestProcessesThatLogInAtOnce(t *testing.T) {
	t.Parallel()
	inEveryStore(t, func(t *testing.T, k *keeper) {
		for _, e := range k.typing(deskSecret).atOnce(6, logIn...) {
			require.Zero(t, e.code, e.stderr)
		}
		require.Equal(t, "ok", k.must("auth", "status", "--jq", ".state"))

		// Each with its own profile: no login undoes another.
		var running sync.WaitGroup
		for n := range 6 {
			running.Go(func() {
				if e := k.run("profile", "set", fmt.Sprint("p", n), "base_url", k.service.url); e.code != 0 {
					t.Errorf("p%d: %s", n, e.stderr)
				}
				e := k.typing(deskSecret).run("auth", "login", "-p", fmt.Sprint("p", n),
					"--client-id", fmt.Sprint("client", n), "--secret-stdin")
				if e.code != 0 {
					t.Errorf("p%d: %s", n, e.stderr)
				}
			})
		}
		running.Wait()
		for n := range 6 {
			require.Equal(t, fmt.Sprint("client", n), k.must("auth", "status", "-p", fmt.Sprint("p", n), "--jq", ".clientId"))
		}
	})
}

// A renewal that is killed during its request, or that finds no service, keeps the login.
func TestARenewalThatFailsKeepsTheLogin(t *testing.T) {
	t.Parallel()
	inEveryStore(t, func(t *testing.T, k *keeper) {
		k.service.short.Store(100)
		k.typing(deskSecret).must(logIn...)

		arrived, release := k.service.holdNext()
		killed := k.start("auth", "token")
		<-arrived
		require.NotZero(t, killed.kill().code)
		release()
		k.must("accounts", "list", "-o", "json")

		k.service.down.Store(true)
		e := k.run("auth", "token", "--retries", "0")
		require.NotZero(t, e.code)
		require.NotEqual(t, 4, e.code, "the credentials are not at fault: %s", e.stderr)
		k.service.down.Store(false)
		k.must("accounts", "list", "-o", "json")
	})
}

// A logout while another process renews leaves no login behind, whichever comes first.
func TestALogoutBesideARenewal(t *testing.T) {
	t.Parallel()
	inEveryStore(t, func(t *testing.T, k *keeper) {
		k.service.short.Store(100)
		k.typing(deskSecret).must(logIn...)
		arrived, release := k.service.holdNext()
		renewing := k.start("auth", "token")
		<-arrived
		leaving := k.start("auth", "logout")
		release()
		for _, r := range []*run{renewing, leaving} {
			e := r.end()
			require.Zero(t, e.code, e.stderr)
		}
		require.Equal(t, 4, k.run("auth", "token").code)
	})
}

func TestLoginsAreForOneProfileAtOneOrigin(t *testing.T) {
	t.Parallel()
	inEveryStore(t, func(t *testing.T, k *keeper) {
		other := newKeeper(t, serve(t), "")
		elsewhere := []string{"--base-url", other.service.url}
		k.typing(deskSecret).must(logIn...)
		k.must("profile", "set", "second", "base_url", k.service.url)
		k.typing(deskSecret).must("auth", "login", "-p", "second", "--client-id", "second", "--secret-stdin")

		// The same profile at another host has no login, and nothing is sent there.
		e := k.run(append([]string{"accounts", "list"}, elsewhere...)...)
		require.Equal(t, 4, e.code, e.stderr)
		require.Contains(t, e.stderr, "payctl --base-url "+other.service.url+" auth login")
		require.Zero(t, other.service.sent.Load())
		login := []string{"auth", "login", "--client-id", "third", "--secret-stdin"}
		k.typing(deskSecret).must(append(login, elsewhere...)...)
		status := func(args ...string) string {
			return k.must(append([]string{"auth", "status", "--jq", ".clientId"}, args...)...)
		}
		require.Equal(t, "desk", status())
		require.Equal(t, "second", status("-p", "second"))
		require.Equal(t, "third", status(elsewhere...))

		k.must("auth", "logout")
		require.Equal(t, 4, k.run("auth", "status").code)
		require.Equal(t, "second", status("-p", "second"))
		require.Equal(t, "third", status(elsewhere...))
	})
}

// loggedInTwice returns a keeper that is logged in with both stores.
func loggedInTwice(t *testing.T, service string) (k *keeper, ring *testkit.Keyring, tokens []string) {
	t.Helper()
	k, ring = withKeyring(t, service)
	for _, kind := range []string{"keyring", "file"} {
		k.typing(deskSecret).must(append(logIn, "--credential-store", kind)...)
		tokens = append(tokens, k.must("auth", "token", "--credential-store", kind))
	}
	require.NotEqual(t, tokens[0], tokens[1])
	require.NotEmpty(t, ring.Held(k.keyringUser()))
	return k, ring, tokens
}

// A logout also empties the store that the profile does not use, and revokes the tokens of both.
func TestLogoutClearsEveryStore(t *testing.T) {
	t.Parallel()
	service := serve(t)
	for _, kind := range []string{"keyring", "file"} {
		t.Run("the "+kind+" is in use", func(t *testing.T) {
			t.Parallel()
			k, ring, tokens := loggedInTwice(t, service)
			k.must("auth", "logout", "--credential-store", kind)
			for _, kind := range []string{"keyring", "file"} {
				require.Equal(t, 4, k.run("auth", "token", "--credential-store", kind).code)
			}
			require.Empty(t, ring.Held(k.keyringUser()))
			for _, token := range tokens {
				require.Empty(t, k.filesWith(token))
				k.env = append(k.env, "PAYCTL_TOKEN="+token)
				require.Equal(t, 4, k.run("accounts", "list").code, "the token is revoked")
			}
		})
	}
}

// A keyring item that is not a login is not used. A login replaces it, and a logout deletes it. No secret is in a file.
func TestKeyringThatHoldsSomethingElse(t *testing.T) {
	t.Parallel()
	k, ring := withKeyring(t, serve(t))
	const value = `{"origin":"https://elsewhere.example:443","client_id":"desk","access_token":"hunter2-of-another"}`
	ring.Hold(k.keyringUser(), value)
	calls := [][]string{{"accounts", "list", "-o", "json"}, {"auth", "token", "-o", "json"}}
	k.refuses(calls, "credential-store", "is not a login", "payctl auth login   (replaces it)")
	require.Equal(t, value, ring.Held(k.keyringUser()), "the item is unchanged")
	e := k.run("auth", "status", "-o", "json")
	require.NotContains(t, e.stdout+e.stderr, "hunter2")
	require.Equal(t, 4, e.code)
	k.must("auth", "logout")
	require.Empty(t, ring.Held(k.keyringUser()))
	ring.Hold(k.keyringUser(), value)
	k.typing(deskSecret).must(logIn...)
	k.must("accounts", "list", "-o", "json")
	for _, secret := range []string{deskSecret, k.must("auth", "token")} {
		require.Empty(t, k.filesWith(secret))
	}
}
