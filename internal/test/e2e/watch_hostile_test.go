package e2e

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/test/testkit"
)

// evil is a text that would take over a terminal, a spreadsheet or a page.
var evil = "=cmd|' /C calc'!A0\x1b[2J\x1b]0;title\x07\x1b]52;c;aGk=\x07\r\nacc_forged\tapproved\u202egnp.\u200b\u0085\u2028" + strings.Repeat("W", 10_000)

// evilService has two accounts, and more if they are given, whose every text is evil. One of them gets an unknown
// status. The function events answers requests for events.
func evilService(t *testing.T, events http.HandlerFunc, more ...string) string {
	t.Helper()
	quoted := func(text string) string {
		b, err := json.Marshal(text)
		require.NoError(t, err)
		return string(b)
	}
	var read atomic.Int32
	kyc := func(id string) string {
		status := evil
		if id == "acc_2" {
			status = "pending"
			if read.Add(1) > 1 {
				status = "frozen"
			}
		}
		return fmt.Sprintf(`{"accountId":%s,"status":%s,"level":%[3]s,"attempt":1,"reasons":[{"code":%[3]s,"message":%[3]s,"field":%[3]s}],`+
			`"requirements":[{"name":%[3]s,"status":"open"}],"verificationUrl":%[3]s,"updatedAt":"2026-01-01T00:00:00Z"}`, quoted(id), quoted(status), quoted(evil))
	}
	var listed atomic.Int32
	account := func(id string) string {
		status := evil
		if id == "acc_2" && listed.Add(1) < 3 {
			status = "pending"
		}
		return fmt.Sprintf(`{"id":%s,"type":"individual","kycStatus":%s,"firstName":%[3]s,"lastName":%[3]s,"email":%[3]s,"country":"GB",`+
			`"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"}`, quoted(id), quoted(status), quoted(evil))
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch path := r.URL.Path; {
		case strings.HasPrefix(path, "/identity/"):
			fmt.Fprint(w, `{"access_token":"abcdefghij","token_type":"Bearer","expires_in":3600}`)
		case strings.HasPrefix(path, "/events/"):
			events(w, r)
		case path == "/accounts/v1":
			var accounts []string
			for _, id := range append([]string{"acc_1", "acc_2"}, more...) {
				accounts = append(accounts, account(id))
			}
			fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(accounts, ","))
		case strings.HasSuffix(path, "/kyc/v1"):
			fmt.Fprint(w, kyc(strings.Split(path, "/")[2]))
		case strings.HasPrefix(path, "/accounts/"):
			fmt.Fprint(w, account(strings.Split(path, "/")[2]))
		default:
			w.WriteHeader(http.StatusTeapot)
			fmt.Fprintf(w, `{"type":%s,"title":%[1]s,"status":418,"detail":%[1]s}`, quoted(evil))
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// harmless checks that a text does nothing to a terminal.
func harmless(t *testing.T, text, what string) {
	t.Helper()
	for _, c := range text {
		if c != '\n' && c != '\t' && (c < ' ' || c >= 0x7f && c < 0xa0) || strings.ContainsRune("\u202e\u200b\u2028\u0085", c) {
			t.Fatalf("%s holds %q", what, c)
		}
	}
}

// TestHostileAccounts: no text of an account can control a terminal or begin a line or cell of its own, and none is
// lost.
func TestHostileAccounts(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("it starts the program seventy times to look at texts, in which the race detector finds nothing")
	}
	url := evilService(t, http.NotFound)
	s := newSession(t, url)
	for _, args := range [][]string{
		{"kyc", "get", "acc_1"},
		{"kyc", "get", "acc_1", "--show-pii"},
		{"accounts", "get", "acc_1", "--show-pii"},
		{"accounts", "list", "--show-pii"},
		{"kyc", "watch", "acc_1", "acc_2", "--until", "frozen", "--interval", "10ms", "--timeout", "200ms"},
		{"kyc", "watch", "--all", "--timeout", "200ms", "--interval", "10ms", "--show-pii"},
		{"kyc", "submit", "acc_1", "--field", "a=b"},
	} {
		formats, verbosities := []string{"table", "json", "ndjson", "csv", "yaml"}, []string{"-v=false", "-v"}
		if testing.Short() {
			formats, verbosities = []string{"table", "csv"}, verbosities[1:]
		}
		for _, format := range formats {
			for _, verbose := range verbosities {
				what := strings.Join(args, " ") + " " + format + verbose
				cmd := s.command(nil, append(args, "-o", format, verbose)...)
				var errors strings.Builder
				cmd.Stderr = &errors
				out, _ := cmd.Output() // how it ends is not what this is about
				harmless(t, errors.String(), what)
				if format != "json" && format != "ndjson" { // where escapes are the reader's business
					harmless(t, strings.ReplaceAll(string(out), "\r\n", "\n"), what)
				}
				switch {
				case len(out) == 0 || args[1] == "submit":
				case format == "csv":
					records, err := csv.NewReader(strings.NewReader(string(out))).ReadAll()
					require.NoError(t, err, what)
					for _, record := range records {
						for _, cell := range record {
							require.False(t, cell != "" && strings.Contains("=+-@", cell[:1]), what)
						}
					}
				case format == "yaml":
					var value any
					require.NoError(t, yaml.Unmarshal(out, &value), what)
				case format == "json":
					require.True(t, json.Valid(out), what)
				}
				for _, line := range strings.Split(string(out), "\n") {
					require.False(t, strings.HasPrefix(line, "acc_forged"), what)
				}
			}
		}
	}
}

// TestUnknownStatusIsReached: a watch can wait for a status that payctl does not know, with and without an event feed.
func TestUnknownStatusIsReached(t *testing.T) {
	t.Parallel()
	s := newSession(t, evilService(t, http.NotFound))
	out, err := s.command(nil, "kyc", "watch", "acc_2", "--until", "frozen", "--interval", "10ms", "--timeout", "20s").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "frozen")
}

// However a feed misbehaves, the watch goes on by other means, and says what there is to say.
func TestHostileFeeds(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
	latest := func(w http.ResponseWriter) { fmt.Fprint(w, `{"data":[],"cursor":"c1"}`) }
	moved := `{"id":"c2","type":"kyc.statusChanged","subjectId":"acc_2","from":"pending","to":"frozen","occurredAt":"2026-01-02T00:00:00Z","data":{}}`
	for name, stream := range map[string]func(w http.ResponseWriter, conn func(string) bool){
		"a line of 100 MB": func(_ http.ResponseWriter, write func(string) bool) {
			write(head + "data: ")
			for piece := strings.Repeat("x", 1<<20); write(piece); {
			}
		},
		"no end of a message": func(_ http.ResponseWriter, write func(string) bool) {
			write(head)
			for piece := "data: " + strings.Repeat("x", 1000) + "\n"; write(piece); {
			}
		},
		"no event": func(_ http.ResponseWriter, write func(string) bool) { write(head + "data: " + `{"id":7}` + "\n\n") },
		"nothing":  func(_ http.ResponseWriter, write func(string) bool) { write(head) },
		"another type": func(_ http.ResponseWriter, write func(string) bool) {
			write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello")
		},
		"refused place": func(_ http.ResponseWriter, write func(string) bool) {
			write("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			s := newSession(t, evilService(t, func(w http.ResponseWriter, r *http.Request) {
				if !strings.Contains(r.Header.Get("Accept"), "event-stream") {
					if asked.Add(1) > 3 && r.URL.Query().Get("after") != "latest" {
						fmt.Fprintf(w, `{"data":[%s],"cursor":"c2"}`, moved)
						return
					}
					latest(w)
					return
				}
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					return
				}
				defer conn.Close()
				_ = conn.SetDeadline(time.Now().Add(longestWait))
				stream(w, func(piece string) bool {
					_, err := conn.Write([]byte(piece))
					return err == nil
				})
			}))
			cmd := s.command(nil, "kyc", "watch", "acc_2", "--until", "frozen", "--interval", "50ms", "--timeout", longestWait.String())
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Contains(t, string(out), "frozen")
			require.LessOrEqual(t, strings.Count(string(out), "trying again"), 3, "one outage is told once")
		})
	}
}
