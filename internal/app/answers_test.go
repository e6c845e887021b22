package app

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// The output of payctl api is harmless on a terminal and exact for a program.
func TestAnswersOfCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tty                             bool
		format, contentType, body, want string
	}{
		{true, "table", "text/plain", "one\x1b]0;x\x07\r\ntwo\u202e", "one\\x1b]0;x\\x07\ntwo\\u202e\n"},
		{true, "table", "application/json", "{\"a\":\"\u202e\",\"n\":1.10}", "{\n  \"a\": \"\\u202e\",\n  \"n\": 1.10\n}\n"},
		{false, "table", "application/octet-stream", "\x00\xff\r\n", "\x00\xff\r\n"},
		{false, "json", "text/plain", "hello", "\"hello\"\n"},
		{false, "ndjson", "application/problem+json", `{"n":12345678901234567890.10}`, "{\"n\":12345678901234567890.10}\n"},
	} {
		u := newUser(t, fixed(t, http.StatusOK, c.contentType, c.body))
		u.env["PAYCTL_TOKEN"], u.outTTY = "some-token", c.tty
		e := u.run("api", "/x", "-o", c.format)
		require.Zero(t, e.code, e.stderr)
		require.Equal(t, c.want, e.stdout)
	}
	u := newUser(t, fixed(t, http.StatusOK, "application/octet-stream", "\xff"))
	u.env["PAYCTL_TOKEN"] = "some-token"
	require.Contains(t, u.run("api", "/x", "-o", "json").stderr, "neither JSON nor text")
}

// ping waits for a service that is starting, and requests only its health.
func TestPingWaitsForAService(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/healthz" || r.Method != http.MethodGet || r.Header.Get("Authorization") != "" {
			t.Errorf("it asked for %s %s", r.Method, r.URL)
		}
		switch asked.Add(1) {
		case 1:
			panic(http.ErrAbortHandler) // it cuts the connection
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			w.Header().Set("Server", "other/1")
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(service.Close)
	u := newUser(t, service.URL+"/api")
	require.Equal(t, "true\n404\nother/1", u.must("ping", "--wait", "1m", "--jq", ".answered, .status, .server"))
	require.EqualValues(t, 3, asked.Load())
}

// A report is the only record of a run. If a folder takes its path meanwhile, it is kept and the error names it.
func TestAReportThatIsLost(t *testing.T) {
	t.Parallel()
	service, folder := paytest.Run(t, refserver.Config{}), t.TempDir()
	rows, report := filepath.Join(folder, "rows.csv"), filepath.Join(folder, "report.csv")
	const people = "external_id,type,first_name,last_name,email,country\np-1,individual,A,B,a@example.com,GB\n"
	require.NoError(t, os.WriteFile(rows, []byte(people), 0o600))
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/accounts/v1" && os.Mkdir(report, 0o700) != nil {
			t.Error("cannot create the folder")
		}
		service.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	u := newUser(t, front.URL)
	u.env["PAYCTL_CLIENT_ID"], u.env["PAYCTL_CLIENT_SECRET"] = paytest.ClientID, paytest.ClientSecret
	e := u.run("accounts", "import", rows, "--report", report)
	require.Equal(t, cmdutil.ExitUnexpected, e.code)
	require.Contains(t, e.stderr, "every row is done")
	kept, err := filepath.Glob(filepath.Join(folder, ".report.csv.*"))
	require.NoError(t, err)
	require.Len(t, kept, 1)
	require.Contains(t, e.stderr, "the whole report is in "+kept[0])
	text, err := os.ReadFile(kept[0])
	require.NoError(t, err)
	require.Contains(t, string(text), ",created,acc_")
}
