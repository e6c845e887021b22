package server_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
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
			w := a.dial(t).write(lines...).raw("2\r\n{}\r\n0\r\n\r\n" + behind)
			require.Equal(t, "close", w.read().header.Get("Connection"))
			w.closed()
		})
	}
}

// Bodies that are too large are refused as soon as that is known, and others are asked for.
func TestBodiesOnTheWire(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Bounds: refserver.Bounds{BodyBytes: 100}})
	patch := func(lines ...string) *wire {
		head := []string{"PATCH " + infoPath + " HTTP/1.1", "Host: a", "Authorization: Bearer " + a.token,
			"Content-Type: application/json"}
		return a.dial(t).write(append(head, lines...)...)
	}
	endless := patch("Transfer-Encoding: chunked").raw("64\r\n" + strings.Repeat(" ", 100) + "\r\n1\r\n \r\n")
	for name, w := range map[string]*wire{
		"chunked": endless, "not sent": patch("Content-Length: 101"),
		"held back": patch("Content-Length: 101", "Expect: 100-continue"),
	} {
		answer := w.read()
		requireProblem(t, answer, payments.KindContentTooLarge)
		require.Equal(t, "close", answer.header.Get("Connection"), name)
	}
	w := patch("Content-Length: 2", "Expect: 100-Continue")
	require.Equal(t, http.StatusContinue, w.read().status)
	require.Equal(t, http.StatusOK, w.raw("{}").read().status)
	form := a.dial(t).write("PATCH "+infoPath+" HTTP/1.1", "Host: a", "Authorization: Bearer "+a.token,
		"Content-Type: text/plain", "Content-Length: 2", "Expect: 100-continue").read()
	requireProblem(t, form, payments.KindUnsupportedMediaType)
}

func TestHTTPS(t *testing.T) {
	t.Parallel()
	address, config := secure(t, refserver.Config{Faults: []payments.SandboxFault{
		{Operation: "createAccessToken", Action: payments.SandboxFaultActionReset},
	}})
	config.NextProtos = []string{"h2", "http/1.1"}
	dial := func() *wire {
		conn, err := (&tls.Dialer{Config: config}).DialContext(t.Context(), "tcp", address)
		require.NoError(t, err)
		return newWire(t, conn)
	}
	problem := requireProblem(t, dial().write("GET /nowhere HTTP/1.1", "Host: example.com").read(), payments.KindNotFound)
	require.Equal(t, "https://example.com/problems/not-found", problem.Type)
	w := dial().write("POST "+tokenPath+" HTTP/1.1", "Host: a",
		"Authorization: "+basic(paytest.ClientID, paytest.ClientSecret))
	_, err := io.ReadAll(w.reader)
	require.ErrorContains(t, err, "reset")
}

func TestTargets(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	t.Run("absolute form", func(t *testing.T) {
		t.Parallel()
		answer := a.dial(t).write("GET http://example.com/nowhere HTTP/1.1", "Host: other").read()
		problem := requireProblem(t, answer, payments.KindNotFound)
		require.Equal(t, "/nowhere", problem.Instance)
		require.Equal(t, "http://example.com/problems/not-found", problem.Type, "the target's host counts")
	})
	t.Run("absolute form without a path", func(t *testing.T) {
		t.Parallel()
		for _, target := range []string{"http://example.com", "http://example.com?a=b"} {
			problem := requireProblem(t, a.dial(t).write("GET "+target+" HTTP/1.1", "Host: a").read(), payments.KindNotFound)
			require.Equal(t, "/", problem.Instance)
			require.Equal(t, "There is no path /.", problem.Detail)
		}
		whole := a.dial(t).write("OPTIONS * HTTP/1.1", "Host: a").read().header
		answer := a.dial(t).write("OPTIONS http://example.com HTTP/1.1", "Host: a").read()
		require.Equal(t, http.StatusNoContent, answer.status)
		require.Equal(t, whole.Get("Allow"), answer.header.Get("Allow"), "it asks for the whole service")
		require.Empty(t, answer.header.Get("Accept-Patch"))
		requireProblem(t, a.dial(t).write("OPTIONS http://example.com?a=b HTTP/1.1", "Host: a").read(), payments.KindNotFound)
	})
	t.Run("absolute form of another scheme", func(t *testing.T) {
		t.Parallel()
		for _, target := range []string{"https://example.com/healthz", "ftp://example.com/healthz", "example.com:80", "http://user:secret@example.com/healthz"} {
			problem := requireProblem(t, a.dial(t).write("GET "+target+" HTTP/1.1", "Host: a").read(), payments.KindMalformed)
			require.NotContains(t, problem.Detail, "secret")
		}
	})
	t.Run("absolute form without a host", func(t *testing.T) {
		t.Parallel()
		for _, target := range []string{"http:///healthz", "http://:80/healthz", "http:healthz", "http://a<b/healthz"} {
			requireProblem(t, a.dial(t).write("GET "+target+" HTTP/1.1", "Host: a").read(), payments.KindMalformed)
		}
	})
	t.Run("what no target has", func(t *testing.T) {
		t.Parallel()
		for _, target := range []string{"/healthz#part", "/accounts/v1?email=a#b", "/accounts/\xc3\xa9/v1", "/healthz\x7f"} {
			require.Equal(t, http.StatusBadRequest, a.dial(t).write("GET "+target+" HTTP/1.1", "Host: a").read().status, target)
		}
	})
	t.Run("a Host that is none", func(t *testing.T) {
		t.Parallel()
		for _, host := range []string{"a:80x", "a:-1", "a:b:c", "[::1", "::1", "%zz", ":80", "[]:80", `a"b`} {
			answer := a.dial(t).write("GET /healthz HTTP/1.1", "Host: "+host).read()
			require.Equal(t, http.StatusBadRequest, answer.status, host)
			require.NotContains(t, answer.body, "http://", "it names no place")
		}
		for _, host := range []string{"", "a:", "a:80", "[::1]:80", "1.2.3.4", "a,b", "a_b"} {
			require.Equal(t, http.StatusOK, a.dial(t).write("GET /healthz HTTP/1.1", "Host: "+host).read().status, host)
		}
	})
	t.Run("asterisk form", func(t *testing.T) {
		t.Parallel()
		w := a.dial(t).write("OPTIONS * HTTP/1.1", "Host: a")
		answer := w.read()
		require.Equal(t, http.StatusNoContent, answer.status)
		require.Equal(t, "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT", answer.header.Get("Allow"))
		require.NotEmpty(t, answer.header.Get("X-Request-Id"))
		requireProblem(t, w.write("GET * HTTP/1.1", "Host: a").read(), payments.KindMalformed)
	})
	t.Run("preface of HTTP/2", func(t *testing.T) {
		t.Parallel()
		w := a.dial(t).raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
		requireProblem(t, w.read(), payments.KindHTTPVersion)
		w.closed()
	})
	t.Run("authority form", func(t *testing.T) {
		t.Parallel()
		requireProblem(t, a.dial(t).write("CONNECT example.com:443 HTTP/1.1", "Host: a").read(), payments.KindNotImplemented)
	})
}

// Clients open connections in advance. An unused one does not delay the service's shutdown.
func TestShutdownBesideAnUnusedConnection(t *testing.T) {
	t.Parallel()
	withTLS, client := lentTLS()
	for name, security := range map[string]*tls.Config{"plain": nil, "TLS": withTLS} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var cut bytes.Buffer
			service, err := refserver.New(refserver.Config{
				Bounds: refserver.Bounds{StopTimeout: time.Second}, // net/http alone would take five
				Log:    slog.New(slog.NewTextHandler(&cut, nil)),
			})
			require.NoError(t, err)
			listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
			require.NoError(t, err)
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- service.Serve(ctx, listener, security) }()
			silent, err := (&net.Dialer{}).DialContext(ctx, "tcp", listener.Addr().String())
			require.NoError(t, err)
			defer silent.Close()
			if security != nil {
				silent = tls.Client(silent, client)
				require.NoError(t, silent.(*tls.Conn).HandshakeContext(t.Context()))
			}
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String()+"/healthz", nil)
			require.NoError(t, err)
			transport := &http.Transport{TLSClientConfig: client}
			defer transport.CloseIdleConnections()
			if security != nil {
				request.URL.Scheme = "https"
			}
			answer, err := transport.RoundTrip(request) // so that the one before is accepted
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			stop()
			require.NoError(t, <-done)
			require.Empty(t, cut.String())
			_, err = silent.Read(make([]byte, 1))
			require.Error(t, err)
			require.NoError(t, service.Close())
		})
	}
}
