package app

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/ui"
)

// Without named clients a service listens on this machine, and on nothing that only looks so.
func TestOnlyThisMachineWithoutNamedClients(t *testing.T) {
	t.Parallel()
	for addr, allowed := range map[string]bool{
		"127.0.0.1:8700": true, "127.8.8.8:0": true, "[::1]:8700": true, "[::ffff:127.0.0.1]:1": true, "localhost:8700": true,
		":8700": false, "0.0.0.0:8700": false, "[::]:8700": false, "[::ffff:0.0.0.0]:1": false, "10.0.0.1:8700": false, "169.254.1.1:1": false,
		"127.1:8700": false, "2130706433:8700": false, "0177.0.0.1:8700": false, "localhost.evil.test:8700": false, "LOCALHOST.:8700": false, "[fe80::1%eth0]:1": false,
	} {
		err := checkAddress(cmdutil.ServeConfig{Addr: addr})
		require.Equal(t, allowed, err == nil, "%s: %v", addr, err)
		require.NoError(t, checkAddress(cmdutil.ServeConfig{Addr: addr, Clients: []string{"a:b"}}))
		require.NoError(t, checkAddress(cmdutil.ServeConfig{Addr: addr, AnyClient: true}))
	}
	require.ErrorIs(t, checkAddress(cmdutil.ServeConfig{Addr: "nonsense", Clients: []string{"a:b"}}), cmdutil.ErrUsage)

	// What a name has led to counts, not the name.
	otherMachine := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 8700}
	require.ErrorIs(t, checkListener(cmdutil.ServeConfig{Addr: "localhost:8700"}, otherMachine), cmdutil.ErrUsage)
	require.ErrorIs(t, checkListener(cmdutil.ServeConfig{Addr: "localhost:8700", Clients: []string{"a:b"}}, otherMachine), cmdutil.ErrUsage)
	require.ErrorIs(t, checkListener(cmdutil.ServeConfig{Addr: "localhost:8700", AnyClient: true}, otherMachine), cmdutil.ErrUsage)
	require.NoError(t, checkListener(cmdutil.ServeConfig{Addr: ":8700", AnyClient: true}, otherMachine))
	require.NoError(t, checkListener(cmdutil.ServeConfig{Addr: "10.0.0.1:8700", Clients: []string{"a:b"}}, otherMachine))
	require.NoError(t, checkListener(cmdutil.ServeConfig{Addr: "localhost:8700"}, &net.TCPAddr{IP: net.IPv6loopback, Port: 8700}))
}

// The flags of serve reach the service.
func TestServeIsGuarded(t *testing.T) {
	t.Parallel()
	lines, out := io.Pipe()
	d, _ := wire(func(string) string { return "" }, &ui.Streams{Out: out, Err: io.Discard, In: strings.NewReader("")}, time.Now)
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		err := serve(ctx, d, cmdutil.ServeConfig{Addr: "127.0.0.1:0", ClientFile: "clients", Clients: []string{"ada:one:two", "bob:three"}, Hosts: []string{"payments.internal", "fe80::1"}, Clock: "real", Deposits: "auto"}, refserver.New)
		_ = out.CloseWithError(errors.Join(err, io.EOF))
		ended <- err
	}()
	line, err := bufio.NewReader(lines).ReadBytes('\n')
	require.NoError(t, err)
	var at ready
	require.NoError(t, json.Unmarshal(line, &at))
	require.Equal(t, "ada", at.ClientID)
	require.Empty(t, at.ClientSecret, "the secret came from a file")
	ask := func(host, id, secret string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at.URL+"/identity/auth/tokens/current/v1", nil)
		require.NoError(t, err)
		r.Host = host
		r.SetBasicAuth(id, secret)
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	require.Equal(t, 421, ask("evil.test", "ada", "one:two"))
	require.Equal(t, 200, ask("payments.internal:1", "ada", "one:two"))
	require.Equal(t, 200, ask("[fe80::1]", "ada", "one:two"))
	require.Equal(t, 401, ask("localhost", "sandbox", sandboxSecret))
	require.Equal(t, 200, ask("localhost", "bob", "three"))
	end()
	require.NoError(t, <-ended)
}

// With --any-client, every machine is answered under every name, as any client, and one line warns of it.
func TestAnyClientOfAnyMachine(t *testing.T) {
	t.Parallel()
	lines, out := io.Pipe()
	var notes bytes.Buffer
	d, _ := wire(func(string) string { return "" }, &ui.Streams{Out: out, Err: &notes, In: strings.NewReader("")}, time.Now)
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		err := serve(ctx, d, cmdutil.ServeConfig{Addr: ":0", AnyClient: true, Clock: "real", Deposits: "auto"}, refserver.New)
		_ = out.CloseWithError(errors.Join(err, io.EOF))
		ended <- err
	}()
	line, err := bufio.NewReader(lines).ReadBytes('\n')
	require.NoError(t, err)
	var at ready
	require.NoError(t, json.Unmarshal(line, &at))
	require.Equal(t, ready{URL: at.URL, PID: at.PID, ClientID: sandboxClient, ClientSecret: sandboxSecret}, at)
	for _, host := range []string{"payctl:8700", "payctl.test.svc.cluster.local", "10.1.2.3:8700", "localhost"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at.URL+"/identity/auth/tokens/current/v1", nil)
		require.NoError(t, err)
		r.Host = host
		r.SetBasicAuth("client of "+host, "any secret")
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, 200, response.StatusCode, host)
	}
	end()
	require.NoError(t, <-ended)
	require.Equal(t, 1, strings.Count(notes.String(), "warning:"), notes.String())
	require.Contains(t, notes.String(), "as any client (--any-client), and nothing is encrypted")
}

// A command of serve gets nothing of its user's real settings and credentials.
func TestEnvironmentOfACommandBesideTheService(t *testing.T) {
	t.Parallel()
	was := []string{"PATH=/bin", "PAYCTL_TOKEN=real-token", "PAYCTL_CLIENT_ID=real", "PAYCTL_CLIENT_SECRET=real-secret", "PAYCTL_PROFILE=production",
		"PAYCTL_BASE_URL=https://production.example", "PAYCTL_CONFIG_DIR=/home/ada/.config/payctl", "PAYCTL_CREDENTIAL_STORE=keyring", "PAYCTL_OUTPUT=json",
		"payctl_token=real-token", "Payctl_State_Dir=/home/ada/state", "payctl_serve_client=ada:real-secret"} // as Windows takes them
	now := commandEnvironment(slices.Clone(was), "/tmp/x", ready{URL: "http://127.0.0.1:1", ClientID: "sandbox", ClientSecret: "s"})
	text := strings.Join(now, "\n")
	for _, real := range []string{"real", "production", "keyring", "/home/ada"} {
		require.NotContains(t, text, real)
	}
	require.ElementsMatch(t, []string{"PATH=/bin", "PAYCTL_OUTPUT=json", "PAYCTL_BASE_URL=http://127.0.0.1:1", "PAYCTL_CLIENT_ID=sandbox", "PAYCTL_CLIENT_SECRET=s",
		"PAYCTL_CONFIG_DIR=/tmp/x", "PAYCTL_CREDENTIAL_STORE=file"}, now)
}
