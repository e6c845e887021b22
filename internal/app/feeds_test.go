package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWatchBesideAHostileFeed waits for a status that payctl does not know. Whatever the feed of events does meanwhile,
// the watch goes on, sees the change, and tells an outage once.
func TestWatchBesideAHostileFeed(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
	const moved = `{"id":"c2","type":"kyc.statusChanged","subjectId":"acc_1","from":"pending","to":"frozen","occurredAt":"2026-01-02T00:00:00Z","data":{}}`
	endless := func(begin, piece string) func(write func(string) bool) {
		return func(write func(string) bool) {
			for write(begin); write(piece); {
			}
		}
	}
	once := func(text string) func(write func(string) bool) { return func(write func(string) bool) { write(text) } }
	for name, stream := range map[string]func(write func(string) bool){
		"a line without an end":    endless(head+"data: ", strings.Repeat("x", 1<<20)),
		"a message without an end": endless(head, "data: "+strings.Repeat("x", 1000)+"\n"),
		"no event":                 once(head + "data: {\"id\":7}\n\n"),
		"nothing":                  once(head),
		"another type":             once("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"),
		"a refused cursor":         once("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var listed atomic.Int32
			status := func() string { // the change comes with the third look
				if listed.Load() > 3 {
					return "frozen"
				}
				return "pending"
			}
			mux := http.NewServeMux()
			mux.HandleFunc("/accounts/acc_1/kyc/v1", func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprintf(w, `{"accountId":"acc_1","status":%q,"level":"basic","attempt":1,"reasons":[],"requirements":[],"updatedAt":"2026-01-01T00:00:00Z"}`, status())
			})
			mux.HandleFunc("/events/", func(w http.ResponseWriter, r *http.Request) {
				if !strings.Contains(r.Header.Get("Accept"), "event-stream") {
					if listed.Add(1) > 3 && r.URL.Query().Get("after") != "latest" {
						fmt.Fprintf(w, `{"data":[%s],"cursor":"c2"}`, moved)
						return
					}
					fmt.Fprint(w, `{"data":[],"cursor":"c1"}`)
					return
				}
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					return
				}
				defer conn.Close()
				stream(func(piece string) bool { _, err := conn.Write([]byte(piece)); return err == nil })
			})
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				mux.ServeHTTP(w, r)
			}))
			t.Cleanup(service.Close)
			u := newUser(t, service.URL)
			u.env["PAYCTL_TOKEN"] = "some-token"
			e := u.run("kyc", "watch", "acc_1", "--until", "frozen", "--interval", "50ms", "--timeout", time.Hour.String())
			require.Zero(t, e.code, e.stderr)
			require.Contains(t, e.stdout, "frozen")
			require.LessOrEqual(t, strings.Count(e.stderr, "trying again"), 3, "one outage is told once")
		})
	}
}
