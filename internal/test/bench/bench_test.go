//go:build linux

// Package bench compares payctl with peers that are measured in the same run, as whole processes. Run it with
// `make bench`, which writes docs/PERFORMANCE.md; `go test -bench NAME ./internal/test/bench` measures one part.
// Only ratios can be compared between machines. Memory is read from /proc, hence the build constraint.
package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// peerVariable makes the test binary run as the peer that it names.
const peerVariable = "PAYCTL_BENCH_PEER"

func TestMain(m *testing.M) {
	if peer := os.Getenv(peerVariable); peer != "" {
		runPeer(peer, os.Args[1:])
	}
	code := m.Run()
	_ = os.RemoveAll(buildFolder)
	os.Exit(code)
}

// programs are the executables that are measured.
type programs struct{ payctl, empty string }

var buildFolder string // of the programs; empty until they are built

var builtPrograms = sync.OnceValues(func() (p programs, err error) {
	folder, err := os.MkdirTemp("", "payctl-bench-")
	if err != nil {
		return p, err
	}
	buildFolder = folder
	p = programs{payctl: filepath.Join(folder, "payctl"), empty: filepath.Join(folder, "empty")}
	for path, source := range map[string]string{p.payctl: "../../../cmd/payctl", p.empty: "./testdata/empty"} {
		output, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", path, source).CombinedOutput()
		if err != nil {
			return p, fmt.Errorf("%w\n%s", err, output)
		}
		// Copy the program, as an installation does. A file that the linker has just mapped starts more slowly.
		linked, err := os.ReadFile(path)
		if err := errors.Join(err, os.Remove(path), os.WriteFile(path, linked, 0o700)); err != nil {
			return p, err
		}
	}
	return p, nil
})

func build(b *testing.B) programs {
	b.Helper()
	p, err := builtPrograms()
	require.NoError(b, err)
	return p
}

// A limit is the maximum or the minimum of a ratio. Zero means no limit.
type limit struct{ atMost, atLeast float64 }

// report reports the figures of payctl and its peer, their ratio and its limit, as a benchmark with this name.
func report(b *testing.B, name, unit string, payctl, peer float64, allowed limit) {
	b.Run(name, func(b *testing.B) {
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(payctl, "payctl:"+unit)
		b.ReportMetric(peer, "peer:"+unit)
		b.ReportMetric(payctl/peer, "ratio")
		if allowed.atMost > 0 {
			b.ReportMetric(allowed.atMost, "at-most")
		}
		if allowed.atLeast > 0 {
			b.ReportMetric(allowed.atLeast, "at-least")
		}
	})
}

// A server is a running program that answers HTTP.
type server struct {
	cmd *exec.Cmd
	url string
}

// start runs a program until the end of the benchmark. Its first line of output is its URL, or JSON with the member
// url.
func start(b *testing.B, cmd *exec.Cmd) *server {
	b.Helper()
	stdout, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	s := &server{cmd: cmd}
	b.Cleanup(s.stop)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(b, err, "%s printed no first line", cmd.Path)
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	ready := struct {
		URL string `json:"url"`
	}{strings.TrimSpace(line)}
	_ = json.Unmarshal([]byte(line), &ready) // peers print only the URL
	s.url = ready.URL
	return s
}

func startService(b *testing.B, flags ...string) *server {
	b.Helper()
	return start(b, exec.Command(build(b).payctl, append([]string{"serve", "--addr", "127.0.0.1:0"}, flags...)...))
}

func startPeer(b *testing.B, name string, args ...string) *server {
	b.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), peerVariable+"="+name)
	return start(b, cmd)
}

func (s *server) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// environment returns the environment of a client command that logs in at a server, with a new configuration folder.
func (s *server) environment(b *testing.B) []string {
	return append(os.Environ(), "PAYCTL_BASE_URL="+s.url, "PAYCTL_CLIENT_ID=bench", "PAYCTL_CLIENT_SECRET=bench",
		"PAYCTL_CREDENTIAL_STORE=file", "PAYCTL_CONFIG_DIR="+b.TempDir())
}

// command returns a payctl command that uses a server.
func (s *server) command(b *testing.B, args ...string) *exec.Cmd {
	b.Helper()
	cmd := exec.Command(build(b).payctl, args...)
	cmd.Env = s.environment(b)
	return cmd
}

// A session is a logged-in client of a service.
type session struct{ url, token string }

func login(b *testing.B, s *server) *session {
	b.Helper()
	c := &session{url: s.url}
	c.token = c.call(b, http.MethodPost, "/identity/auth/tokens/current/v1", "")["access_token"].(string)
	return c
}

// call sends one request and decodes its response, which must be a success.
func (c *session) call(b *testing.B, method, path, body string) (decoded map[string]any) {
	b.Helper()
	text, err := c.send(b.Context(), method, path, body)
	require.NoError(b, err)
	require.NoError(b, json.Unmarshal(text, &decoded))
	return decoded
}

// httpClient keeps one connection for each concurrent sender.
var httpClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: sendersAtOnce}}

func (c *session) send(ctx context.Context, method, path, body string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token == "" {
		request.SetBasicAuth("bench", "bench")
	} else {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := httpClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 400 {
		err = fmt.Errorf("%s %s: %s", method, path, text)
	}
	return text, err
}

// createAccounts creates accounts and returns their ids.
func (c *session) createAccounts(b *testing.B, n int) []string {
	b.Helper()
	ids := make([]string, n)
	many(b, n, func(i int) error {
		text, err := c.send(b.Context(), http.MethodPost, "/accounts/v1", fmt.Sprintf(`{"type":"individual","firstName":"Ada",`+
			`"lastName":"Lovelace","email":"ada%d@example.com","country":"GB"}`, lastSerial.Add(1)))
		if err != nil {
			return err
		}
		account := struct {
			ID *string `json:"id"`
		}{&ids[i]}
		return json.Unmarshal(text, &account)
	})
	return ids
}

// createContact creates an account, waits for its approval, creates a contact of it and returns the contact's id.
func (c *session) createContact(b *testing.B) string {
	b.Helper()
	account := c.createAccounts(b, 1)[0]
	for c.call(b, http.MethodGet, "/accounts/"+account+"/kyc/v1", "")["status"] != "approved" {
	}
	return c.call(b, http.MethodPost, "/contacts/saved/v1", `{"label":"Ada","holderName":"Ada",`+
		`"holderType":"individual","paymentRail":"sepa","currency":"EUR","iban":"DE89370400440532013000"}`)["id"].(string)
}

// lastSerial numbers created objects: e-mail addresses and references must be unique.
var lastSerial atomic.Int64

const sendersAtOnce = 16

// many calls do n times, with up to sendersAtOnce calls at once.
func many(b *testing.B, n int, do func(i int) error) {
	b.Helper()
	var group errgroup.Group
	group.SetLimit(sendersAtOnce)
	for i := range n {
		group.Go(func() error { return do(i) })
	}
	require.NoError(b, group.Wait())
}

// mebibytes returns a figure of /proc/PID/status: VmRSS is the current resident memory, VmHWM its peak.
func mebibytes(b *testing.B, pid int, figure string) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(b, err)
	_, text, _ := strings.Cut(string(status), figure+":")
	kibibytes, err := strconv.ParseFloat(strings.Fields(text)[0], 64)
	require.NoError(b, err)
	return kibibytes / 1024
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
