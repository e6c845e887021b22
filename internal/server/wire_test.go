package server_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// patience is how long a test waits for what has to come. It decides nothing but how long a broken test takes.
const patience = 20 * time.Second

// A wire is a connection to the service on which a test sends any bytes that it likes.
type wire struct {
	net.Conn
	t      testing.TB
	reader *bufio.Reader
	method string // of the request of which the answer is read next; empty: GET
}

func newWire(t testing.TB, conn net.Conn) *wire {
	t.Helper()
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	return &wire{Conn: conn, t: t, reader: bufio.NewReader(conn)}
}

// dial opens a connection.
func (a *api) dial(t testing.TB) *wire {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(a.URL, "http://"))
	require.NoError(t, err)
	return newWire(t, conn)
}

// write sends lines, each ended by CRLF, and an empty one.
func (w *wire) write(lines ...string) *wire {
	w.t.Helper()
	return w.raw(strings.Join(lines, "\r\n") + "\r\n\r\n")
}

// raw sends text as it is. A service that hangs up early is noticed when its answer is read.
func (w *wire) raw(text string) *wire {
	w.t.Helper()
	_, _ = io.WriteString(w.Conn, text)
	return w
}

// read reads an answer.
func (w *wire) read() *answer {
	w.t.Helper()
	response, err := http.ReadResponse(w.reader, &http.Request{Method: w.method})
	require.NoError(w.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(w.t, err)
	if response.Close {
		response.Header.Set("Connection", "close")
	}
	return &answer{w.t, response.StatusCode, response.Header, string(body)}
}

// closed holds the service to have hung up, having sent nothing more.
func (w *wire) closed() {
	w.t.Helper()
	rest, err := io.ReadAll(w.reader)
	if err != nil {
		require.ErrorContains(w.t, err, "reset")
	}
	require.Empty(w.t, string(rest))
}

// secure runs a service with TLS.
func secure(t testing.TB, config refserver.Config) (address string, client *tls.Config) {
	t.Helper()
	security, client := lentTLS()
	s, err := refserver.New(config)
	require.NoError(t, err)
	address, _ = paytest.Listen(t, s, security)
	return address, client
}

// lentTLS is what a service and its client need for TLS.
func lentTLS() (service, client *tls.Config) {
	lent := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate
	lent.Close()
	client = lent.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	client.ServerName = "example.com"
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: lent.TLS.Certificates}, client
}
