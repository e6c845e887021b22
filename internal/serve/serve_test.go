package serve

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/ui"
)

// command returns `payctl serve` with arguments and no environment.
func command(out, notes io.Writer, newServer NewServer, args ...string) *cobra.Command {
	cmd := New(&cmdutil.Deps{
		Streams: &ui.Streams{Out: out, Err: notes, In: strings.NewReader("")}, Options: &cmdutil.Options{},
		Getenv: func(string) string { return "" }, Secrets: &redact.Secrets{},
	}, newServer)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	return cmd
}

// notes collects what a command writes to standard error from several goroutines.
type notes struct {
	mu sync.Mutex
	bytes.Buffer
}

// Write implements io.Writer.
func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.Buffer.Write(p)
}

// start runs the command and waits until it is ready. end stops it with a cause and returns its error.
func start(t *testing.T, newServer NewServer, args ...string) (at ready, said *notes, end func(cause error) error) {
	t.Helper()
	lines, out := io.Pipe()
	said = &notes{}
	cmd := command(out, said, newServer, args...)
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() {
		err := cmd.ExecuteContext(ctx)
		_ = out.CloseWithError(errors.Join(err, io.EOF))
		ended <- err
	}()
	line, err := bufio.NewReader(lines).ReadBytes('\n')
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(line, &at))
	return at, said, func(cause error) error {
		cancel(cause)
		return <-ended
	}
}

// logIn requests a token with this Host header and returns the status of the response.
func logIn(t *testing.T, at ready, host, id, secret string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at.URL+"/identity/auth/tokens/current/v1", nil)
	require.NoError(t, err)
	r.Host = host
	r.SetBasicAuth(id, secret)
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}

// The flags of serve reach the service.
func TestServeIsGuarded(t *testing.T) {
	t.Parallel()
	at, _, end := start(t, refserver.New, "--addr", "127.0.0.1:0", "--client", "ada:one:two", "--client", "bob:three")
	require.Equal(t, "ada", at.ClientID)
	require.Equal(t, 421, logIn(t, at, "evil.test", "ada", "one:two"))
	require.Equal(t, 200, logIn(t, at, "payments.localhost:1", "ada", "one:two"))
	require.Equal(t, 401, logIn(t, at, "localhost", "sandbox", sandboxSecret))
	require.Equal(t, 200, logIn(t, at, "localhost", "bob", "three"))
	require.NoError(t, end(nil))
}

// HTTPS requires TLS 1.2 or newer.
func TestNothingOlderThanTLS12IsServed(t *testing.T) {
	t.Parallel()
	lent := httptest.NewTLSServer(nil)
	lent.Close()
	pair := lent.TLS.Certificates[0]
	private, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "pair.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})
	text = append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
	require.NoError(t, os.WriteFile(file, text, 0o600))
	at, _, end := start(t, refserver.New, "--addr", "127.0.0.1:0", "--tls-cert", file, "--tls-key", file)
	for version, isSpoken := range map[uint16]bool{
		tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true,
	} {
		config := &tls.Config{MinVersion: version, MaxVersion: version, InsecureSkipVerify: true} // the version is tested
		dialer := tls.Dialer{Config: config}
		conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(at.URL, "https://"))
		require.Equal(t, isSpoken, err == nil, "%x: %v", version, err)
		if err == nil {
			require.NoError(t, conn.Close())
		}
	}
	require.NoError(t, end(nil))
}

// A command run by serve gets none of its user's credentials, profiles and folders, and uses no proxy for the service.
func TestEnvironmentOfTheCommand(t *testing.T) {
	t.Parallel()
	was := []string{
		"PATH=/bin", "PAYCTL_TOKEN=real-token", "PAYCTL_CLIENT_ID=real", "PAYCTL_CLIENT_SECRET=real-secret",
		"PAYCTL_PROFILE=production", "PAYCTL_BASE_URL=https://production.example",
		"PAYCTL_CONFIG_DIR=/home/ada/.config/payctl",
		"PAYCTL_CREDENTIAL_STORE=keyring", "PAYCTL_OUTPUT=json", "payctl_token=real-token",
		"Payctl_State_Dir=/home/ada/state",
		"payctl_serve_client=ada:real-secret", // on Windows, names are case-insensitive
	}
	at := ready{URL: "http://127.0.0.1:1", ClientID: "sandbox", ClientSecret: "s"}
	require.ElementsMatch(t, []string{
		"PATH=/bin", "PAYCTL_OUTPUT=json", "PAYCTL_BASE_URL=http://127.0.0.1:1", "PAYCTL_CLIENT_ID=sandbox",
		"PAYCTL_CLIENT_SECRET=s", "PAYCTL_CONFIG_DIR=/tmp/x", "PAYCTL_CREDENTIAL_STORE=file",
		"NO_PROXY=127.0.0.1", "no_proxy=a.test,b.test,127.0.0.1",
	}, commandEnvironment(slices.Clone(was), func(name string) string {
		return map[string]string{"no_proxy": "a.test,b.test"}[name]
	}, "/tmp/x", at))
}

// If the service broke the contract, or a required operation was not called, serve ends with its own error, whatever
// signal stops it. Each report has the violation.
func TestServeEndsWithAFailedCheck(t *testing.T) {
	t.Parallel()
	for operation, breaks := range map[*contract.Operation]bool{&contract.GetAccount: true, &contract.GetHealth: false} {
		file := filepath.Join(t.TempDir(), "report.json")
		_, notes, end := start(t, func(c refserver.Config) (*refserver.Server, error) {
			seen := server.ResponseSummary{
				Operation: operation, Method: operation.Method, Path: operation.Path, Status: 200, Checked: true,
			}
			if breaks {
				seen.Violations = []contract.Violation{{Place: "body.type", Reason: "robot"}}
			}
			c.OnResponse(seen)
			return refserver.New(c)
		}, "--addr", "127.0.0.1:0", "--check", "--report", file, "--report", file+".XML", "--require", "getHealth")
		err := end(&cmdutil.Signalled{Signal: syscall.SIGTERM})
		require.Equal(t, breaks, cmdutil.IsProblem(err, ProblemCheckFailed), "%v: %v", breaks, err)
		if breaks {
			require.ErrorContains(t, err, "no request called getHealth")
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var written server.Coverage
		require.NoError(t, json.Unmarshal(text, &written))
		require.Equal(t, 1, written.Requests)
		require.Equal(t, breaks, len(written.Violations) == 1)
		require.Contains(t, notes.String(), "1 response checked, "+strconv.Itoa(len(written.Violations))+" violation")
		text, err = os.ReadFile(file + ".XML")
		require.NoError(t, err)
		var suites struct{ Suite junitSuite }
		require.NoError(t, xml.Unmarshal(text, &suites))
		failed := map[string]bool{}
		for _, c := range suites.Suite.Cases {
			failed[c.Class] = c.Failure != nil
			isOutput := strings.HasPrefix(c.Output, "GET "+operation.Path+" 200")
			require.Equal(t, c.Failure == nil || c.Class == "violations", isOutput, c)
		}
		require.Len(t, suites.Suite.Cases, suites.Suite.Tests)
		require.Equal(t, breaks, failed["violations"])
		require.Equal(t, breaks, failed["operations"], "the required operation comes last")
	}
}

// A receiver that is down while a test suite resets its world before each test still gets every event, in order.
func TestWebhookOfAWorldThatIsReset(t *testing.T) {
	t.Parallel()
	const tests = 5
	var down atomic.Bool
	down.Store(true)
	subjects := make(chan string, 2*tests)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var event payments.Event
		if down.Load() || json.UnmarshalRead(r.Body, &event) != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		} else if event.Type == payments.EventTypeAccountCreated {
			subjects <- event.SubjectID
		}
	}))
	t.Cleanup(receiver.Close)
	at, _, end := start(t, refserver.New, "--addr", "127.0.0.1:0", "--webhook", receiver.URL)
	ask := func(path, body string, into any, authorize func(*http.Request)) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at.URL+path, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		authorize(r)
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.Less(t, response.StatusCode, 300)
		require.NoError(t, json.UnmarshalRead(response.Body, into))
		require.NoError(t, response.Body.Close())
	}
	var token payments.AccessToken
	ask("/identity/auth/tokens/current/v1", "{}", &token, func(r *http.Request) {
		r.SetBasicAuth(at.ClientID, at.ClientSecret)
	})
	bearer := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token.AccessToken) }
	const ada = `{"type":"individual","firstName":"A","lastName":"B","email":"a@example.com","country":"GB"}`
	var made, got []string
	for range tests {
		ask("/sandbox/reset/v1", "", new(payments.SandboxWorld), bearer)
		var account payments.Account
		ask("/accounts/v1", ada, &account, bearer)
		made = append(made, account.ID)
	}
	down.Store(false)
	for range tests {
		got = append(got, <-subjects)
	}
	require.Equal(t, made, got)
	require.NoError(t, end(nil))
}

// FuzzParseClients checks that --client takes only ID:SECRET, and that its error repeats no secret.
func FuzzParseClients(f *testing.F) {
	f.Add("a:b:c", "d:e")
	f.Add(":secret-of-nobody", "b:c")
	f.Add("a:", "b:c")
	f.Add("secret-without-an-id", "b:c")
	f.Add("a:b", "a:c")
	f.Add("a:b", "c:d")
	f.Fuzz(func(t *testing.T, one, two string) {
		clients, first, err := parseClients([]string{one, two})
		if err != nil {
			require.ErrorIs(t, err, cmdutil.ErrUsage)
			require.Empty(t, clients)
			if len(one) > 9 {
				require.NotContains(t, err.Error(), one)
			}
			return
		}
		require.Equal(t, one, first.id+":"+first.secret)
		require.NotContains(t, first.id, ":")
		require.NotEmpty(t, first.secret)
		for id, secret := range clients {
			require.NotEmpty(t, id)
			require.Contains(t, []string{one, two}, id+":"+secret)
		}
	})
}

// Both forms of the service log escape control characters that a client sent.
func TestTheLogOfAServiceIsHarmless(t *testing.T) {
	t.Parallel()
	const hostile = "/\x1b]0;owned\x07\u009b31m\u202e\u200b\u3164\xff\r\nFORGED"
	for _, atTerminal := range []bool{false, true} {
		var written bytes.Buffer
		d := &cmdutil.Deps{Streams: &ui.Streams{Err: &written, ErrTTY: atTerminal}, Options: &cmdutil.Options{Verbose: true}}
		log := newLog(d)
		log.Debug("asked", "path", hostile, "error", errors.New(hostile))
		log.With("client", hostile).WithGroup("g").Error("failed", "agent", hostile)
		text := written.String()
		require.Equal(t, ui.SanitizeLines(text), text)
		require.NotContains(t, text, "\nFORGED")
		require.Contains(t, text, "owned")
	}
}
