//go:build !windows

// On Windows a console stands between a program and its terminal, and draws the screen itself: what arrives there does
// not tell what the program wrote.

package e2e

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/settings"
)

// TestForgedJournal puts a hostile text into every text of a journal, as another user may prepare one, and
// looks at what is written to a terminal.
func TestForgedJournal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "state", journal.FileName)
	writes := &journal.Journal{Path: path, Service: nowhere, Now: time.Now}
	for i, outcome := range []journal.Outcome{journal.OutcomeUnknown, journal.OutcomeDone} {
		intent := journal.Intent{Operation: "createAutoTransfer", Key: fmt.Sprint("k", i), Body: []byte(hostile)}
		_, err := writes.Claim(t.Context(), []journal.Intent{intent}, false)
		require.NoError(t, err)
		require.NoError(t, writes.End(intent, journal.Result{Outcome: outcome}))
	}
	require.NoError(t, writes.Close())
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	for _, column := range []string{
		"client", "profile", "operation", "idempotency_key", "body_hash", "reference", "external_id", "batch_id", "world",
		"subject", "state", "problem", "detail", "owner",
	} {
		_, err = db.ExecContext(t.Context(), "UPDATE writes SET "+column+" = ? || number", hostile)
		require.NoError(t, err)
	}
	_, err = db.ExecContext(t.Context(), "INSERT INTO clients VALUES (?, ?)", nowhere, hostile)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	env := alone(t, dir, "PAYCTL_BASE_URL="+nowhere, "PAYCTL_CLIENT_ID="+strings.ReplaceAll(hostile, "\x00", "")+"1")
	shown := 0
	for _, line := range [][]string{
		{"transfer", "resolve", "--list", "--all"},
		{"transfer", "resolve", "--list", "--all", "-o", "json"},
		{"transfer", "resolve", "--list", "--all", "-o", "csv"},
		{"transfer", "resolve", "--list", "--all", "-o", "yaml"},
		{"transfer", "resolve", "--list", "--jq", ".. | strings"},
		{"transfer", "resolve", "--retries", "0"},
		{"transfer", "resolve", "--resend", "--yes", "--retries", "0"},
		{"doctor"},
	} {
		for _, env := range [][]string{env, alone(t, dir, "PAYCTL_BASE_URL="+nowhere)} {
			out := atTerminal(t, env, nil, line...)
			requireHarmless(t, out, line)
			if strings.Contains(out, "FORGED") {
				shown++
			}
		}
	}
	require.Positive(t, shown, "the texts are shown, and so this test sees them")
}

// TestForgedConfiguration puts hostile texts into a configuration.
func TestForgedConfiguration(t *testing.T) {
	t.Parallel()
	quoted, err := json.Marshal(strings.ReplaceAll(hostile, "\x00", "")) // JSON is YAML
	require.NoError(t, err)
	text := string(quoted)
	usable := "base_url: https://api.example.com"
	for name, config := range map[string]string{
		"the name of a profile": "profiles: {" + text + ": {" + usable + "}}",
		"the current one":       "current: " + text,
		"a base URL":            "current: p\nprofiles: {p: {base_url: " + text + "}}",
		"a client":              "current: p\nprofiles: {p: {" + usable + ", client_id: " + text + "}}",
		"authorities":           "current: p\nprofiles: {p: {" + usable + ", ca_cert: " + text + "}}",
		"an operation":          "current: p\nprofiles: {p: {" + usable + ", operations: {getAccount: " + text + "}}}",
		"an unknown operation":  "current: p\nprofiles: {p: {" + usable + ", operations: {" + text + ": GET /x}}}",
		"an unknown key":        "current: p\nprofiles: {p: {" + usable + ", " + text + ": 1}}",
		"something else":        text,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, settings.FileName), []byte(config+"\n"), 0o600))
			env := alone(t, dir)
			for _, line := range [][]string{
				{"profile", "list"}, {"profile", "show"}, {"profile", "list", "-o", "json"}, {"doctor", "--timeout", "1ms"},
				{"accounts", "list", "--retries", "0", "--timeout", "1ms"},
			} {
				requireHarmless(t, atTerminal(t, env, nil, line...), line)
			}
		})
	}
}

// TestForgedLogin has a store hold a login with hostile texts. Its token does not add headers to a request.
func TestForgedLogin(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var forged []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Header.Get("X-Forged") != "" || len(r.Header.Values("Authorization")) != 1 {
			forged = append(forged, fmt.Sprint(r.Header))
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	for name, text := range map[string]string{
		"a header more":    "t0k3n-value\r\nX-Forged: FORGED",
		"control sequence": hostile,
		"huge":             strings.Repeat("t", 900_000),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(dir, "state"), 0o700))
			stored, err := json.Marshal(map[string]any{"version": 1, "logins": []any{map[string]any{
				"profile": "local", "origin": server.URL, "client_id": text, "client_secret": text, "access_token": text,
				"token_type": text, "scope": text, "expires_at": time.Now().Add(time.Hour).UTC(),
			}}})
			require.NoError(t, err)
			file := filepath.Join(dir, "state", "credentials.json")
			require.NoError(t, os.WriteFile(file, stored, 0o600))
			env := alone(t, dir, "PAYCTL_BASE_URL="+server.URL, "PAYCTL_TOKEN=")
			for _, line := range [][]string{
				{"accounts", "list", "--retries", "0", "-v"}, {"auth", "status"}, {"auth", "status", "-o", "json"}, {"auth", "token"},
				{"auth", "refresh"},
			} {
				out := atTerminal(t, env, nil, line...)
				requireHarmless(t, out, line)
				if line[0] == "auth" && line[1] == "status" && name != "huge" {
					require.Contains(t, out, "FORGED", "the login is read")
				}
			}
		})
	}
	mu.Lock()
	defer mu.Unlock()
	require.Empty(t, forged)
}
