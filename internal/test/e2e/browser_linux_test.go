package e2e

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	devtools "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
)

// A rebinder is the address of a host name. It first leads to a page and then to a service on this machine.
type rebinder struct {
	net.Listener
	mu     sync.Mutex
	target string
	conns  []net.Conn
}

// forward forwards connections until the listener is closed.
func (r *rebinder) forward() {
	for {
		client, err := r.Accept()
		if err != nil {
			return
		}
		r.mu.Lock()
		target, err := net.Dial("tcp", r.target)
		if err == nil {
			r.conns = append(r.conns, client, target)
			go func() { _, _ = io.Copy(target, client); _ = target.Close() }()
			go func() { _, _ = io.Copy(client, target); _ = client.Close() }()
		}
		r.mu.Unlock()
	}
}

// rebind closes open connections and makes the name lead to another target.
func (r *rebinder) rebind(target string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.target = target
	for _, conn := range r.conns {
		_ = conn.Close()
	}
	r.conns = nil
}

// A web page in a real browser attacks a service on the same machine. Its own host name then leads to the service (DNS
// rebinding). It knows a token and the default client. It must read nothing and change nothing.
func TestWebPagesCannotUseAService(t *testing.T) { inEachBrowser(t, webPagesCannotUseAService) }

func webPagesCannotUseAService(t *testing.T, browser string) {
	s, url, log := startLogged(t)
	s.createAccount("ada@example.com")
	token, err := s.command("auth", "token").Output()
	require.NoError(t, err)
	world := func() (world string) {
		for _, noun := range []string{"accounts", "contacts", "transfer"} {
			listed, err := s.command(noun, "list", "-o", "json").Output()
			require.NoError(t, err)
			world += string(listed)
		}
		return world
	}
	_, page, _ := strings.Cut(s.must("sandbox", "open", "--jq", ".url"), "#")
	before := world()
	earlier, err := os.ReadFile(log)
	require.NoError(t, err)

	results := attack(t, browser, strings.TrimPrefix(url, "http://"), strings.TrimSpace(string(token)), page, func() bool {
		now, err := os.ReadFile(log)
		require.NoError(t, err)
		return lastRequest.Match(now)
	})
	ways := map[string]int{}
	for _, r := range results {
		ways[r.At]++
		if strings.Contains(r.At, "attacker.example") && strings.Contains(r.Text, "/problems/misdirected-request") {
			continue
		}
		require.Empty(t, r.Text, "%s of %s", r.Way, r.At)
		require.Zero(t, r.Status, "%s of %s", r.Way, r.At)
	}
	require.Len(t, ways, 3)
	for at, tried := range ways {
		require.Greater(t, tried, 15, at)
	}

	now, err := os.ReadFile(log)
	require.NoError(t, err)
	answers := map[int]int{} // requests of the page, by status
	for line := range bytes.Lines(now[len(earlier):]) {
		var request struct {
			Method, Path string
			Status       int
		}
		require.NoError(t, json.Unmarshal(line, &request, json.MatchCaseInsensitiveNames(true)))
		answers[request.Status]++
		open := request.Path == "/healthz" || strings.HasPrefix(request.Path, "/openapi.")
		switch {
		case request.Method == http.MethodGet && !open:
			require.GreaterOrEqual(t, request.Status, 400, "%s", line)
		case request.Method == http.MethodPost:
			require.Contains(t, []int{http.StatusForbidden, http.StatusMisdirectedRequest}, request.Status, "%s", line)
		}
	}
	require.Greater(t, answers[http.StatusMisdirectedRequest], 15)
	require.Positive(t, answers[http.StatusUnauthorized], "the page must reach the service by its own names")
	require.Equal(t, before, world())
}

// lastRequest matches the log entry of the last request of testdata/attacker.html.
var lastRequest = regexp.MustCompile(`"path":"/identity/auth/tokens/current/v1","status":40[13]`)

// A servedSession is a session with its own service.
type servedSession struct {
	*session
	service *exec.Cmd
}

// startLogged starts a service that logs to a file, and returns a session of its default client.
func startLogged(t *testing.T, flags ...string) (s servedSession, url, log string) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	require.NoError(t, err)
	defer file.Close()
	s.session = newSession(t, "")
	s.service = s.command(append([]string{"serve", "--addr", "127.0.0.1:0", "--clock", "manual", "-v"}, flags...)...)
	s.service.Stderr = file
	out, err := s.service.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, s.service.Start())
	t.Cleanup(func() { _, _ = s.service.Process.Kill(), s.service.Wait() })
	line, err := bufio.NewReader(out).ReadBytes('\n')
	require.NoError(t, err)
	var ready struct {
		URL, ClientID, ClientSecret string
	}
	require.NoError(t, json.Unmarshal(line, &ready, json.MatchCaseInsensitiveNames(true)))
	s.env = append(s.env, "PAYCTL_BASE_URL="+ready.URL,
		"PAYCTL_CLIENT_ID="+ready.ClientID, "PAYCTL_CLIENT_SECRET="+ready.ClientSecret)
	return s, ready.URL, file.Name()
}

// An attackResult is what a page got from an origin in one way. Status 0 means that the page cannot know it.
type attackResult struct {
	Way, At, Text string
	Status        int
}

// attack makes a browser load testdata/attacker.html, whose origin then leads to a service. It returns the page's
// report, and waits for the last request, which comes after the report.
func attack(t *testing.T, browser, service, token, pageToken string, last func() bool) (results []attackResult) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	name := &rebinder{Listener: listener}
	report := make(chan []byte, 1)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			http.ServeFile(w, r, "testdata/attacker.html")
		case "/switch":
			name.rebind(service)
		case "/report":
			if body, err := io.ReadAll(r.Body); err == nil {
				report <- body
			}
		}
	}))
	t.Cleanup(page.Close)
	name.target = page.Listener.Addr().String()
	go name.forward()
	t.Cleanup(func() { _ = listener.Close(); name.rebind("") })

	_, port, err := net.SplitHostPort(service)
	require.NoError(t, err)
	reports := strings.Replace(page.URL, "127.0.0.1", "reports.example", 1)
	told := url.Values{"token": {token}, "page": {pageToken}, "reports": {reports}}
	visitor := newBrowser(t, browser, "MAP attacker.example "+listener.Addr().String()+", MAP reports.example 127.0.0.1, ")
	at := devtools.NavigateParams{URL: "http://attacker.example:" + port + "/?" + told.Encode()}
	_, err = chromedp.Call(visitor, devtools.Navigate, at)
	require.NoError(t, err)
	select {
	case body := <-report:
		require.NoError(t, json.Unmarshal(body, &results, json.MatchCaseInsensitiveNames(true)))
		require.Eventually(t, last, longestWait, 10*time.Millisecond)
	case <-visitor.Done():
		require.FailNow(t, "the browser ended before the page reported")
	}
	return results
}
