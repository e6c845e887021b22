package doctor

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/shell"
)

// findings runs one check.
func findings(t testing.TB, whom Subject, do func(*examination, context.Context, *check)) []Finding {
	t.Helper()
	e := newExamination(t.Context(), whom)
	return run(t.Context(), "a check", func(ctx context.Context, c *check) { do(e, ctx, c) })
}

// look examines with an environment, and returns the findings of one check.
func look(t *testing.T, check string, environment map[string]string) []Finding {
	t.Helper()
	var found []Finding
	for _, f := range examined(t.Context(), environment).Checks {
		if f.Check == check {
			found = append(found, f)
		}
	}
	require.NotEmpty(t, found)
	return found
}

func examined(ctx context.Context, environment map[string]string) Report {
	return Examine(ctx, subjectOf(environment))
}

func subjectOf(environment map[string]string) Subject {
	return Subject{Getenv: func(name string) string { return environment[name] }, Now: time.Now, Version: "test", Secrets: &redact.Secrets{}}
}

func environment(t *testing.T, url string, more ...string) map[string]string {
	e := map[string]string{"PAYCTL_CONFIG_DIR": filepath.Join(t.TempDir(), "payctl"), "PAYCTL_BASE_URL": url, "PAYCTL_CREDENTIAL_STORE": "file", "PAYCTL_TOKEN": "s3cret-token"}
	for i := 0; i < len(more); i += 2 {
		e[more[i]] = more[i+1]
	}
	return e
}

// TestNothingIsMade holds the doctor to leaving a machine as it found it.
func TestNothingIsMade(t *testing.T) {
	t.Parallel()
	e := environment(t, "http://127.0.0.1:1")
	report := examined(t.Context(), e)
	require.NoDirExists(t, e["PAYCTL_CONFIG_DIR"])
	require.Equal(t, Failed, report.Failed()[0].Result)
	require.Equal(t, payments.KindUnreachable, report.Failed()[0].Kind)
	require.Equal(t, len(report.Checks), report.Summary.OK+report.Summary.Warning+report.Summary.Failed+report.Summary.Skipped)
}

// TestItEndsWhateverHangs gives the doctor a service that takes connections and says nothing, and less time than it
// wants.
func TestItEndsWhateverHangs(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	report := examined(ctx, environment(t, "http://"+listener.Addr().String()))
	names := map[string]bool{}
	for _, f := range report.Checks {
		names[f.Check] = true
	}
	require.Len(t, names, 12, "every check has something to say")
	require.NotEmpty(t, report.Failed())
}

// TestNoAnswerInTime: the message names the time that the doctor waited.
func TestNoAnswerInTime(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	e := environment(t, "http://"+listener.Addr().String())
	require.NoError(t, os.Mkdir(e["PAYCTL_CONFIG_DIR"], 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(e["PAYCTL_CONFIG_DIR"], "config.yaml"), []byte("profiles:\n  local:\n    timeout: 50ms\n"), 0o600))
	found := look(t, "service", e)[0]
	require.Equal(t, payments.KindTimeout, found.Kind)
	require.Equal(t, e["PAYCTL_BASE_URL"]+" accepted the connection and did not answer within 50ms.", found.Message)
}

// TestAPageOfSomethingElse stands for a base URL that is wrong, and for a network that wants a login first.
func TestAPageOfSomethingElse(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html><title>Welcome to the guests' network</title></html>"))
	}))
	t.Cleanup(server.Close)
	found := look(t, "authentication", environment(t, server.URL))[0]
	require.Equal(t, Failed, found.Result)
	require.Contains(t, found.Message, "the base URL may be that of something else")
	require.Equal(t, "payctl profile show", found.Fix)
	require.Empty(t, found.Advice, "later is no better")
}

// TestATokenIsGivenBack: the token that the doctor fetches to try a secret is revoked.
func TestATokenIsGivenBack(t *testing.T) {
	t.Parallel()
	var revoked atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != contract.CreateAccessToken.Path:
			http.NotFound(w, r)
		case r.Method == http.MethodDelete:
			revoked.Store(r.Header.Get("Authorization"))
			w.WriteHeader(http.StatusNoContent)
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"access_token":"a-fresh-token","token_type":"Bearer","expires_in":3600,"scope":""}`))
		}
	}))
	t.Cleanup(server.Close)
	found := look(t, "authentication", environment(t, server.URL, "PAYCTL_TOKEN", "", "PAYCTL_CLIENT_ID", "ada", "PAYCTL_CLIENT_SECRET", "s3cret-of-ada"))[0]
	require.Equal(t, OK, found.Result, "%v", found)
	require.Equal(t, "Bearer a-fresh-token", revoked.Load())
}

// TestACheckThatHangsIsLeftBehind stands for a file system that listens to no context.
func TestACheckThatHangsIsLeftBehind(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	found := await(ctx, "files", make(chan []Finding))
	require.Equal(t, payments.KindTimeout, found[0].Kind)
}

func TestACheckThatPanicsTakesNoOtherAlong(t *testing.T) {
	t.Parallel()
	found := run(t.Context(), "files", func(context.Context, *check) { panic("s3cret") })
	require.Equal(t, Failed, found[0].Result)
	require.NotContains(t, found[0].Message, "s3cret")
}

func TestModesOfWhatIsKept(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("modes say nothing there")
	}
	e := environment(t, "http://127.0.0.1:1")
	state := filepath.Join(e["PAYCTL_CONFIG_DIR"], "state")
	require.NoError(t, os.MkdirAll(state, 0o700))
	credentials, journal := filepath.Join(state, "credentials.json"), filepath.Join(state, "journal.db")
	require.NoError(t, os.Symlink("/etc/passwd", credentials))
	require.NoError(t, os.WriteFile(journal, nil, 0o600))
	require.NoError(t, os.Chmod(journal, 0o640))
	found := look(t, "files", e)
	require.Len(t, found, 2)
	require.Empty(t, found[0].Fix, "what a link leads to may be managed by another program")
	require.Contains(t, found[0].Message, "a symbolic link to /etc/passwd")
	require.Equal(t, payments.KindCredential, found[0].Kind)
	require.Equal(t, "chmod 600 "+journal, found[1].Fix)
	require.Equal(t, payments.KindJournal, found[1].Kind)
	require.Equal(t, Skipped, look(t, "journal", e)[0].Result)
}

// TestADamagedJournalStaysAsItIs has the doctor read what is no journal.
func TestADamagedJournalStaysAsItIs(t *testing.T) {
	t.Parallel()
	e := environment(t, "http://127.0.0.1:1")
	state := filepath.Join(e["PAYCTL_CONFIG_DIR"], "state")
	require.NoError(t, os.MkdirAll(state, 0o700))
	content := strings.Repeat("no journal at all ", 1000)
	require.NoError(t, os.WriteFile(filepath.Join(state, "journal.db"), []byte(content), 0o600))
	found := look(t, "journal", e)[0]
	require.Equal(t, Failed, found.Result)
	require.Equal(t, securefile.MoveCommand(filepath.Join(state, "journal.db")), found.Fix)
	there, err := os.ReadDir(state)
	require.NoError(t, err)
	require.Len(t, there, 1, "no log is made beside it")
}

// The command that starts a service starts it where it is looked for.
func TestWhatStartsAServiceOfThisMachine(t *testing.T) {
	t.Parallel()
	for at, command := range map[string]string{
		"http://127.0.0.1:8700":  "payctl serve",
		"http://localhost:9000":  "payctl serve --addr localhost:9000",
		"http://[::1]:8700":      shell.Hint("payctl serve --addr ADDRESS", shell.Values{"ADDRESS": "[::1]:8700"}),
		"http://127.0.0.1:9/api": "payctl profile show",
		"https://localhost:8700": "payctl profile show",
		"http://localhost":       "payctl profile show",
	} {
		base, err := url.Parse(at)
		require.NoError(t, err)
		require.Equal(t, command, serveCommand(base), at)
	}
}

// serveDocument serves a service's own OpenAPI document, made from ours by a change.
func serveDocument(t *testing.T, text []byte) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != contract.GetOpenAPIDocumentJSON.Path {
			http.NotFound(w, r)
			return
		}
		if r.Header.Get("Authorization") != "" {
			t.Error("a document that is for everybody is asked for with a credential")
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestOurOwnDocumentHasNotDrifted(t *testing.T) {
	t.Parallel()
	found := look(t, "contract", environment(t, serveDocument(t, contract.JSON)))
	require.Equal(t, OK, found[0].Result, "%v", found)
}

// TestNamesOfParametersDoNotCount has every parameter of every path called otherwise.
func TestNamesOfParametersDoNotCount(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(string(contract.JSON), "{accountId}", "{id}")
	require.NotEqual(t, string(contract.JSON), text)
	require.Equal(t, OK, look(t, "contract", environment(t, serveDocument(t, []byte(text))))[0].Result)
}

// TestHostileDocuments holds the comparison to ending, whatever a service offers.
func TestHostileDocuments(t *testing.T) {
	t.Parallel()
	circle := `{"allOf":[{"$ref":"#/s/a"},{"$ref":"#/s/a"},{"$ref":"#/s/a"}],"oneOf":[{"$ref":"#/s/a"},{"$ref":"#/s/a"}],"properties":{"id":{"$ref":"#/s/a"}},"items":{"$ref":"#/s/a"}}`
	operation := `{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/s/a"}}}},"responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#/s/a"}}}},"201":{"$ref":"#/paths"}}}`
	for name, text := range map[string]string{
		"circle":         `{"s":{"a":` + circle + `},"paths":{"/accounts/v1":{"get":` + operation + `,"post":` + operation + `}}}`,
		"itself":         `{"s":{"a":{"$ref":"#/s/a"}},"paths":{"/accounts/v1":{"$ref":"#/paths/~1accounts~1v1"}}}`,
		"wrong types":    `{"paths":{"/accounts/v1":{"get":{"parameters":{},"requestBody":[],"responses":"x","operationId":7},"post":3}}}`,
		"not a document": `[]`,
		"no paths":       `{"paths":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, f := range look(t, "contract", environment(t, serveDocument(t, []byte(text)))) {
				require.NotEqual(t, payments.KindInternal, f.Kind)
				require.NotEqual(t, OK, f.Result)
			}
		})
	}
}

// TestNoSecretIsTold: the report does not contain the token, even if a service repeats it everywhere.
func TestNoSecretIsTold(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write([]byte(`{"type":"x","title":"` + r.Header.Get("Authorization") + `","detail":"` + r.Header.Get("Authorization") + `","status":418}`))
	}))
	t.Cleanup(server.Close)
	text, err := json.Marshal(examined(t.Context(), environment(t, server.URL)))
	require.NoError(t, err)
	require.NotContains(t, string(text), "s3cret-token")
}
