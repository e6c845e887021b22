package server_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// A request that a proxy may have seen end elsewhere is the last one of its connection: nothing behind it is read.
func TestNothingIsSmuggled(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	const behind = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
	for name, head := range map[string][]string{
		"two lengths":     {"HTTP/1.1", "Transfer-Encoding: chunked", "Content-Length: 2"},
		"chunked in 1.0":  {"HTTP/1.0", "Connection: keep-alive", "Transfer-Encoding: chunked"},
		"chunked":         {"HTTP/1.1", "Transfer-Encoding: Chunked"},
		"broken chunks":   {"HTTP/1.1", "Transfer-Encoding: chunked", "", "x"},
		"an odd coding":   {"HTTP/1.1", "Transfer-Encoding: gzip, chunked"},
		"lengths differ":  {"HTTP/1.1", "Content-Length: 2", "Content-Length: 3"},
		"no whole number": {"HTTP/1.1", "Content-Length: +2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := append([]string{"PATCH " + infoPath + " " + head[0], "Host: a", "Authorization: Bearer " + a.token,
				"Content-Type: application/json"}, head[1:]...)
			// All of it is one write: a service that hangs up before the rest arrives would reset the connection.
			w := a.dial(t).write(append(lines, "", "2\r\n{}\r\n0\r\n\r\n"+behind)...)
			require.Equal(t, "close", w.read().header.Get("Connection"))
			w.closed()
		})
	}
}

// Bodies that are too large are refused as soon as that is known, and others are asked for.
func TestBodiesOnTheWire(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Bounds: refserver.Bounds{BodyBytes: 100}})
	patch := func(media string, lines ...string) *wire {
		head := []string{"PATCH " + infoPath + " HTTP/1.1", "Host: a", "Authorization: Bearer " + a.token,
			"Content-Type: " + media}
		return a.dial(t).write(append(head, lines...)...)
	}
	const media = "application/json"
	for name, w := range map[string]*wire{
		"chunked":   patch(media, "Transfer-Encoding: chunked").raw("64\r\n" + strings.Repeat(" ", 100) + "\r\n1\r\n \r\n"),
		"not sent":  patch(media, "Content-Length: 101"),
		"held back": patch(media, "Content-Length: 101", "Expect: 100-continue"),
	} {
		answer := w.read()
		requireProblem(t, answer, payments.ProblemContentTooLarge)
		require.Equal(t, "close", answer.header.Get("Connection"), name)
	}
	w := patch(media, "Content-Length: 2", "Expect: 100-Continue")
	require.Equal(t, http.StatusContinue, w.read().status)
	require.Equal(t, http.StatusOK, w.raw("{}").read().status)
	refused := patch("text/plain", "Content-Length: 2", "Expect: 100-continue").read()
	requireProblem(t, refused, payments.ProblemUnsupportedMediaType)
}

// The host of an absolute target counts, what no target or Host has is refused, and there is no HTTP/2 without TLS.
func TestTargets(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	get := func(target, host string) *answer {
		return a.dial(t).write("GET "+target+" HTTP/1.1", "Host: "+host).read()
	}
	problem := requireProblem(t, get("http://example.com/nowhere", "other"), payments.ProblemNotFound)
	require.Equal(t, "/nowhere", problem.Instance)
	require.Equal(t, "http://example.com/problems/not-found", problem.Type)
	for _, target := range []string{
		"http://a<b/healthz", "/healthz#part", "/accounts/v1?email=a#b", "/accounts/\xc3\xa9/v1", "/healthz\x7f",
	} {
		require.Equal(t, http.StatusBadRequest, get(target, "a").status, target)
	}
	for _, host := range []string{"a:80x", "a:-1", "a:b:c", "[::1", "::1", "%zz", ":80", "[]:80", `a"b`} {
		answer := get("/healthz", host)
		require.Equal(t, http.StatusBadRequest, answer.status, host)
		require.NotContains(t, answer.body, "http://", "it names no place")
	}
	for _, host := range []string{"", "a:", "a:80", "[::1]:80", "1.2.3.4", "a,b", "a_b"} {
		require.Equal(t, http.StatusOK, get("/healthz", host).status, host)
	}
	preface := a.dial(t).raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	requireProblem(t, preface.read(), payments.ProblemHTTPVersion)
	preface.closed()
	connect := a.dial(t).write("CONNECT example.com:443 HTTP/1.1", "Host: a").read()
	requireProblem(t, connect, payments.ProblemNotImplemented)
}

// Clients open connections in advance. An unused one does not delay the service's shutdown, plain or with TLS, over
// which problems have types of https and faults cut connections too.
func TestShutdownBesideAnUnusedConnection(t *testing.T) {
	t.Parallel()
	lent := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate
	lent.Close()
	client := lent.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	client.ServerName = "example.com"
	withTLS := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: lent.TLS.Certificates}
	for name, security := range map[string]*tls.Config{"plain": nil, "TLS": withTLS} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var cut bytes.Buffer
			service := must(refserver.New(refserver.Config{
				Bounds: refserver.Bounds{StopTimeout: 4 * time.Second}, // net/http alone would take five
				Log:    slog.New(slog.NewTextHandler(&cut, nil)),
				Faults: []payments.SandboxFault{{Operation: "createAccessToken", Action: payments.SandboxFaultActionReset}},
			}))
			address, stop := paytest.Listen(t, service, security)
			dial := func() *wire {
				conn := must((&net.Dialer{}).DialContext(t.Context(), "tcp", address))
				if security != nil {
					conn = tls.Client(conn, client)
					require.NoError(t, conn.(*tls.Conn).HandshakeContext(t.Context()))
				}
				return newWire(t, conn)
			}
			silent := dial()
			problem := requireProblem(t, dial().write("GET /nowhere HTTP/1.1", "Host: example.com").read(),
				payments.ProblemNotFound)
			require.Equal(t, security != nil, strings.HasPrefix(problem.Type, "https://example.com/"))
			dial().write("POST "+tokenPath+" HTTP/1.1", "Host: a", "Authorization: "+basic(paytest.ClientID,
				paytest.ClientSecret)).closed()
			stop()
			require.Empty(t, cut.String())
			_, err := io.ReadAll(silent)
			require.False(t, security == nil && err != nil && !isConnectionReset(err), "%v", err)
		})
	}
}
