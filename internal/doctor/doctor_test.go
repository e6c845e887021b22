package doctor

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

// look examines with an environment, and returns the findings of one check.
func look(t *testing.T, check string, environment map[string]string) (found []Finding) {
	t.Helper()
	for _, f := range Examine(t.Context(), subjectOf(environment)) {
		if f.Check == check {
			found = append(found, f)
		}
	}
	require.NotEmpty(t, found)
	return found
}

func subjectOf(environment map[string]string) Subject {
	return Subject{
		Getenv: func(name string) string { return environment[name] }, Now: time.Now, Version: "test",
		Secrets: &redact.Secrets{},
	}
}

func environment(t *testing.T, url string, more ...string) map[string]string {
	e := map[string]string{
		"PAYCTL_CONFIG_DIR": filepath.Join(t.TempDir(), "payctl"), "PAYCTL_BASE_URL": url,
		"PAYCTL_CREDENTIAL_STORE": "file", "PAYCTL_TOKEN": "s3cret-token",
	}
	for i := 0; i < len(more); i += 2 {
		e[more[i]] = more[i+1]
	}
	return e
}

// answering is a service that answers all requests alike.
func answering(t *testing.T, status int, contentType, body string) (url string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(strings.ReplaceAll(body, "CREDENTIAL", r.Header.Get("Authorization"))))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// silent is a service that takes connections and says nothing.
func silent(t *testing.T) (url string) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return "http://" + listener.Addr().String()
}

// The doctor makes no folder, and a check that ends by itself names the time that it waited.
func TestItLeavesNothing(t *testing.T) {
	t.Parallel()
	e := environment(t, silent(t), "PAYCTL_TIMEOUT", "1s") // in which any machine connects
	require.Equal(t, payments.ProblemTimeout, look(t, "service", e)[0].ProblemType)
	require.NoDirExists(t, e["PAYCTL_CONFIG_DIR"])
}

// A check that hangs is left behind, and one that panics takes no other along.
func TestItEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	hangs := check{"files", func(context.Context) findings { <-t.Context().Done(); return nil }}
	require.Equal(t, payments.ProblemTimeout, hangs.examine(ctx)[0].ProblemType)
	panics := check{"files", func(context.Context) findings { panic("s3cret") }}
	found := panics.examine(t.Context())[0]
	require.Equal(t, payments.ProblemInternal, found.ProblemType)
	require.NotContains(t, found.Message, "s3cret")

	names := map[string]bool{}
	for _, f := range Examine(ctx, subjectOf(environment(t, silent(t)))) {
		names[f.Check] = true
	}
	checks := []string{"config", "profile", "files", "credentials", "journal", "service", "authentication", "contract"}
	require.ElementsMatch(t, checks, slices.Collect(maps.Keys(names)), "every check has something to say")
}

// The report does not contain the token, even if a service repeats it everywhere.
func TestNoSecretIsTold(t *testing.T) {
	t.Parallel()
	const problem = `{"type":"x","title":"CREDENTIAL","detail":"CREDENTIAL","status":418}`
	echo := answering(t, http.StatusTeapot, "application/problem+json", problem)
	text, err := json.Marshal(Examine(t.Context(), subjectOf(environment(t, echo))))
	require.NoError(t, err)
	require.NotContains(t, string(text), "s3cret-token")
}

// The token that the doctor fetches to try a secret is revoked.
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
	e := environment(t, server.URL, "PAYCTL_TOKEN", "", "PAYCTL_CLIENT_ID", "ada", "PAYCTL_CLIENT_SECRET", "s3cret-of-ada")
	found := look(t, "authentication", e)[0]
	require.Equal(t, OK, found.Result, "%v", found)
	require.Equal(t, "Bearer a-fresh-token", revoked.Load())
}

// The authority of a certificate that is not trusted is set in the profile.
func TestUnknownAuthority(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	authority := filepath.Join(t.TempDir(), "authority.pem")
	certificate := &pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}
	require.NoError(t, os.WriteFile(authority, pem.EncodeToMemory(certificate), 0o600))
	whom := subjectOf(environment(t, server.URL))
	found := newExamination(t.Context(), whom).service(t.Context())
	require.Equal(t, Failed, found[0].Result, found[0].Message)
	require.Equal(t, "payctl profile set local ca_cert FILE", found[0].Next.String())
	whom.Flags = settings.Flags{settings.KeyCACert: authority}
	require.Equal(t, OK, newExamination(t.Context(), whom).service(t.Context())[0].Result)
}

// A journal is looked at while a program has it open, when that has died, and when it is none.
func TestJournal(t *testing.T) {
	t.Parallel()
	e := environment(t, "http://127.0.0.1:1")
	x := newExamination(t.Context(), subjectOf(e))
	path := filepath.Join(e["PAYCTL_CONFIG_DIR"], "state", journal.FileName)
	writes := &journal.Journal{Path: path, Now: time.Now}
	t.Cleanup(func() { _ = writes.Close() })
	for i, outcome := range []effect.Outcome{effect.Done, effect.Unknown, journal.OutcomeSending} {
		pending := journal.PendingWrite{
			Service: "https://payments.test", Operation: "createAutoTransfer", Key: string(outcome), Fingerprint: "h",
		}
		_, err := writes.Claim(t.Context(), []journal.PendingWrite{pending}, journal.First)
		require.NoError(t, err)
		if outcome != journal.OutcomeSending {
			require.NoError(t, writes.End(pending, journal.Ending{Outcome: outcome}))
		}
		require.NoError(t, writes.Record(t.Context(), nil), "outcomes are on the disk")
		if i == 0 {
			require.Contains(t, x.journal(t.Context())[0].Message, "0 of 1 writes are unresolved")
		}
	}
	for range 2 { // in use, then left behind
		found := x.journal(t.Context())[0]
		require.Equal(t, Warning, found.Result, found.Message)
		require.Contains(t, found.Message, "The outcome of 2 of 3 writes is unknown")
		require.Equal(t, "payctl transfer resolve", found.Next.String())
		require.NoError(t, writes.Close())
	}
	path = filepath.Join(t.TempDir(), journal.FileName)
	env := environment(t, "http://127.0.0.1:1", "PAYCTL_STATE_DIR", filepath.Dir(path))
	x = newExamination(t.Context(), subjectOf(env))
	require.NoError(t, os.Chmod(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("no journal at all ", 1000)), 0o600))
	require.Contains(t, x.journal(t.Context())[0].Message, "is damaged")
	require.NoFileExists(t, path+"-wal", "no log is made beside it")
}
