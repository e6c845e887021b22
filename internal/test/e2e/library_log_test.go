package e2e

import (
	"bufio"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tokenAnswer is the answer to a secret.
const tokenAnswer = `{"access_token":"` + leakToken + `","token_type":"Bearer","expires_in":3600,"scope":""}`

// TestTheHTTPLibraryTellsNothing: Go's HTTP client can log to standard error. Its messages are not redacted; they
// quote unsolicited data of a service and, if GODEBUG asks for it, everything that is sent.
func TestTheHTTPLibraryTellsNothing(t *testing.T) {
	t.Parallel()
	secrets := []string{"PAYCTL_CLIENT_ID=" + leakClient, "PAYCTL_CLIENT_SECRET=" + leakSecret}
	t.Run("unasked", func(t *testing.T) {
		t.Parallel()
		url, asked := blurts(t)
		run := leakRun{t: t, dir: t.TempDir(), url: url, env: secrets}
		told := run.run("kyc", "watch", "acc_1", "--interval", "1s", "--timeout", "2s")
		requireUntold(t, told)
		require.Greater(t, len(asked), 2, "%s", told.stderr)
	})
	t.Run("GODEBUG", func(t *testing.T) {
		t.Parallel()
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if strings.Contains(r.URL.Path, "/tokens/") {
				_, _ = io.WriteString(w, tokenAnswer)
				return
			}
			_, _ = io.WriteString(w, `{"data":[],"nextCursor":null}`)
		}))
		server.EnableHTTP2 = true
		server.StartTLS()
		t.Cleanup(server.Close)
		authority := filepath.Join(t.TempDir(), "authority.pem")
		require.NoError(t, os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
		run := leakRun{t: t, dir: t.TempDir(), url: server.URL, env: append(secrets, "GODEBUG=http2debug=2")}
		told := run.run("accounts", "list", "--ca-cert", authority)
		require.Zero(t, told.code, "%s", told.stderr)
		requireUntold(t, told)
	})
}

func requireUntold(t *testing.T, told ending) {
	t.Helper()
	shown := string(told.stdout) + string(told.stderr)
	for form, text := range leakForms([]string{leakSecret, leakToken}) {
		require.NotContains(t, shown, text, form)
	}
	require.NotContains(t, shown, "Unsolicited")
	require.NotContains(t, shown, "http2:")
}

// blurts is a service that repeats the credentials after each response, when no request is waiting. The channel told
// receives each request.
func blurts(t *testing.T) (url string, told chan string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	told = make(chan string, 1000)
	serve := func(connection net.Conn) {
		defer connection.Close()
		requests := bufio.NewReader(connection)
		for {
			request, err := http.ReadRequest(requests)
			if err != nil {
				return
			}
			status, body := "404 Not Found", "{}"
			switch path := request.URL.Path; {
			case strings.Contains(path, "/tokens/"):
				status, body = "200 OK", tokenAnswer
			case strings.Contains(path, "/kyc/"):
				status, body = "200 OK", `{"accountId":"acc_1","status":"pending","updatedAt":"2026-01-01T00:00:00Z"}`
			}
			_, _ = fmt.Fprintf(connection, "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s\x1b[31mI was told %s\r\n",
				status, len(body), body, request.Header.Get("Authorization"))
			told <- request.URL.Path
		}
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(connection)
		}
	}()
	return "http://" + listener.Addr().String(), told
}
