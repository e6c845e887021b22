package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/auth/keystore/keyringtest"
)

// inEveryStore runs a test with the real keyring and with the credential file.
func inEveryStore(t *testing.T, test func(t *testing.T, k *keeper)) {
	t.Helper()
	service := deskService(t)
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		k := newKeeper(t, service, "")
		k.env = append(k.env, "PAYCTL_CREDENTIAL_STORE=file")
		test(t, k)
	})
	t.Run("keyring", func(t *testing.T) {
		t.Parallel()
		if runtime.GOOS != "linux" {
			t.Skip("the keyring of this system is its user's own")
		}
		bus := keyringtest.Bus(t, keyringtest.Open)
		keyringtest.Gnome(t, bus, true)
		test(t, newKeeper(t, service, bus))
	})
}

// atOnce runs a line in several processes.
func (k *keeper) atOnce(many int, input string, args ...string) []ended {
	k.t.Helper()
	all := make([]ended, many)
	var running sync.WaitGroup
	for i := range all {
		running.Go(func() { all[i] = k.run(input, args...) })
	}
	running.Wait()
	return all
}

func TestManyProcessesRenewOnce(t *testing.T) {
	t.Parallel()
	inEveryStore(t, func(t *testing.T, k *keeper) {
		k.service.short.Store(1)
		k.must(deskSecret+"\n", logIn...)
		for _, e := range k.atOnce(8, "", "accounts", "list", "-o", "json") {
			require.Zero(t, e.code, e.stderr)
			require.Empty(t, e.stderr)
		}
		require.EqualValues(t, 2, k.service.tokens.Load(), "one for the login, one for all renewals")
	})
}

func TestProcessesThatLogInAtOnce(t *testing.T) {
	t.Parallel()
	inEveryStore(t, func(t *testing.T, k *keeper) {
		for _, e := range k.atOnce(6, deskSecret+"\n", logIn...) {
			require.Zero(t, e.code, e.stderr)
		}
		require.Equal(t, "ok", k.must("", "auth", "status", "--jq", ".state"))

		// And for profiles of their own: none undoes another.
		var running sync.WaitGroup
		for n := range 6 {
			running.Go(func() {
				if e := k.run("", "profile", "set", fmt.Sprint("p", n), "base_url", k.service.url); e.code != 0 {
					t.Errorf("p%d: %s", n, e.stderr)
				}
				e := k.run(deskSecret+"\n", "auth", "login", "-p", fmt.Sprint("p", n), "--client-id", fmt.Sprint("client", n), "--secret-stdin")
				if e.code != 0 {
					t.Errorf("p%d: %s", n, e.stderr)
				}
			})
		}
		running.Wait()
		for n := range 6 {
			require.Equal(t, fmt.Sprint("client", n), k.must("", "auth", "status", "-p", fmt.Sprint("p", n), "--jq", ".clientId"))
		}
	})
}

// A renewal that is killed with its request on the way, or that finds no service, leaves the login as it was.
func TestARenewalThatFailsKeepsTheLogin(t *testing.T) {
	t.Parallel()
	inEveryStore(t, func(t *testing.T, k *keeper) {
		k.must(deskSecret+"\n", logIn...)
		token := k.must("", "auth", "token")
		for name, do := range map[string]func(){
			"killed": func() {
				arrived, release := k.service.holdNext()
				defer release()
				cmd, _, _ := k.start("", "auth", "refresh")
				require.NoError(t, cmd.Start())
				<-arrived
				require.NoError(t, cmd.Process.Kill())
				require.Error(t, cmd.Wait())
			},
			"no service": func() {
				k.service.down.Store(true)
				defer k.service.down.Store(false)
				e := k.run("", "auth", "refresh", "--retries", "0")
				require.NotZero(t, e.code)
				require.NotEqual(t, 4, e.code, "the credentials are not at fault: %s", e.stderr)
			},
		} {
			do()
			require.Equal(t, token, k.must("", "auth", "token"), name)
			k.must("", "accounts", "list", "-o", "json")
		}
		k.must("", "auth", "refresh")
		require.NotEqual(t, token, k.must("", "auth", "token"))
	})
}

// A logout while another process renews leaves no login behind, whichever is first.
func TestALogoutBesideARenewal(t *testing.T) {
	t.Parallel()
	inEveryStore(t, func(t *testing.T, k *keeper) {
		k.must(deskSecret+"\n", logIn...)
		arrived, release := k.service.holdNext()
		renewing, _, stderr := k.start("", "auth", "refresh")
		require.NoError(t, renewing.Start())
		<-arrived
		leaving, _, said := k.start("", "auth", "logout")
		require.NoError(t, leaving.Start())
		release()
		require.NoError(t, renewing.Wait(), stderr)
		require.NoError(t, leaving.Wait(), said)
		require.Equal(t, 4, k.run("", "auth", "token").code)
	})
}

func TestLoginsAreForOneProfileAtOneOrigin(t *testing.T) {
	t.Parallel()
	inEveryStore(t, func(t *testing.T, k *keeper) {
		other := newKeeper(t, deskService(t), "")
		elsewhere := []string{"--base-url", other.service.url}
		k.must(deskSecret+"\n", logIn...)
		k.must("", "profile", "set", "second", "base_url", k.service.url)
		k.must(deskSecret+"\n", "auth", "login", "-p", "second", "--client-id", "second", "--secret-stdin")

		// The same profile at another host has no login, and nothing is sent there.
		e := k.run("", append([]string{"accounts", "list"}, elsewhere...)...)
		require.Equal(t, 4, e.code, e.stderr)
		require.Contains(t, e.stderr, "payctl --base-url "+other.service.url+" auth login")
		require.Zero(t, other.service.sent.Load())
		k.must(deskSecret+"\n", append([]string{"auth", "login", "--client-id", "third", "--secret-stdin"}, elsewhere...)...)
		status := func(args ...string) string {
			return k.must("", append([]string{"auth", "status", "--jq", ".clientId"}, args...)...)
		}
		require.Equal(t, "desk", status())
		require.Equal(t, "second", status("-p", "second"))
		require.Equal(t, "third", status(elsewhere...))

		k.must("", "auth", "logout")
		require.Equal(t, 4, k.run("", "auth", "status").code)
		require.Equal(t, "second", status("-p", "second"))
		require.Equal(t, "third", status(elsewhere...))
	})
}

// A logout empties the store that the profile does not use now as well, and revokes the tokens of both.
func TestLogoutClearsEveryStore(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the keyring of this system is its user's own")
	}
	service := deskService(t)
	both := func(t *testing.T) (*keeper, *keyringtest.Keyring, string, []string) {
		bus := keyringtest.Bus(t, keyringtest.Open)
		ring := keyringtest.Gnome(t, bus, true)
		k := newKeeper(t, service, bus)
		var tokens []string
		for _, kind := range []string{"keyring", "file"} {
			k.must(deskSecret+"\n", append(logIn, "--credential-store", kind)...)
			tokens = append(tokens, k.must("", "auth", "token", "--credential-store", kind))
		}
		require.NotEqual(t, tokens[0], tokens[1])
		return k, ring, bus, tokens
	}
	for _, kind := range []string{"keyring", "file"} {
		t.Run("the "+kind+" is in use", func(t *testing.T) {
			t.Parallel()
			k, ring, _, tokens := both(t)
			k.must("", "auth", "logout", "--credential-store", kind)
			for _, kind := range []string{"keyring", "file"} {
				require.Equal(t, 4, k.run("", "auth", "token", "--credential-store", kind).code)
			}
			require.Zero(t, ring.Items(map[string]string{"service": "payctl"}))
			for _, token := range tokens {
				require.Empty(t, filesWith(t, k.dir, token))
				k.env = append(k.env, "PAYCTL_TOKEN="+token)
				require.Equal(t, 4, k.run("", "accounts", "list").code, "the token is revoked")
			}
		})
	}
	t.Run("the other one is locked", func(t *testing.T) {
		t.Parallel()
		k, ring, _, _ := both(t)
		ring.Lock()
		e := k.run("", "auth", "logout", "--credential-store", "file")
		require.Equal(t, 4, e.code, "a login is left, and that is told")
		require.Contains(t, e.stderr, "the keyring is locked")
		require.Empty(t, filesWith(t, k.dir, deskSecret))
		ring.Unlock()
		k.must("", "auth", "logout", "--credential-store", "file")
		require.Zero(t, ring.Items(map[string]string{"service": "payctl"}))
	})
	t.Run("there is no other one", func(t *testing.T) {
		t.Parallel()
		k := newKeeper(t, service, "")
		k.must(deskSecret+"\n", append(logIn, "--credential-store", "file")...)
		k.must("", "auth", "logout", "--credential-store", "file")
		k.must("", "auth", "logout", "--credential-store", "file")
	})
}

// Neither a child nor the list of processes sees a secret, and none is in a file.
func TestNoSecretInArgumentsOrFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc")
	}
	bus := keyringtest.Bus(t, keyringtest.Open)
	keyringtest.Gnome(t, bus, true)
	k := newKeeper(t, deskService(t), bus)
	arrived, release := k.service.holdNext()
	cmd, stdout, stderr := k.start(deskSecret+"\n", logIn...)
	require.NoError(t, cmd.Start())
	<-arrived // the secret is in its memory now
	for _, file := range []string{"cmdline", "environ"} {
		content, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(cmd.Process.Pid), file))
		if err == nil { // a process that cannot be looked into tells nothing
			require.NotContains(t, string(content), deskSecret, file)
		}
	}
	release()
	require.NoError(t, cmd.Wait(), stderr)
	require.NotContains(t, stdout.String()+stderr.String(), deskSecret)
	token := k.must("", "auth", "token")
	for _, secret := range []string{deskSecret, token} {
		require.Empty(t, filesWith(t, filepath.Dir(k.dir), secret))
	}
	e := k.run("", "accounts", "list", "-v")
	require.Zero(t, e.code)
	require.NotContains(t, e.stderr+e.stdout, token)
}
