package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// A countingListener counts the writes on its connections.
type countingListener struct {
	net.Listener
	writes atomic.Int64
}

func (l *countingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return countingConn{conn, &l.writes}, err
}

type countingConn struct {
	net.Conn
	writes *atomic.Int64
}

func (c countingConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// A response leaves with one write, whether or not it fits into net/http's buffer of 4 KiB, unless it is long.
func TestOneWriteForHeadAndBody(t *testing.T) {
	t.Parallel()
	service, err := refserver.New(refserver.Config{Faults: []payments.SandboxFault{
		{Operation: "listAccounts", Action: payments.SandboxFaultActionTruncate, Times: 1}}})
	require.NoError(t, err)
	token := login(t, service.Handler, paytest.ClientID)
	inner, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	listener := &countingListener{Listener: inner}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- service.Serve(ctx, listener, nil) }()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", inner.Addr().String())
	require.NoError(t, err)
	w := newWire(t, conn)
	ask := func(method, path, body string) (response *answer, writes int64) {
		before := listener.writes.Load()
		w.method = method
		w.write(method+" "+path+" HTTP/1.1", "Host: a", "Authorization: Bearer "+token,
			"Content-Type: application/json", fmt.Sprint("Content-Length: ", len(body))).raw(body)
		return w.read(), listener.writes.Load() - before
	}
	const buffer = 4096
	choice := `{"selectedSource":{"currency":"USDC","paymentRail":"base"},"selectedDestination":{"currency":"EUR"}}`
	for range 2 {
		answer, writes := ask("PATCH", infoPath, choice)
		require.Greater(t, len(answer.body), buffer)
		require.EqualValues(t, 1, writes)
		answer, writes = ask("PATCH", infoPath, "{}")
		require.Greater(t, len(answer.body), 2*buffer)
		require.EqualValues(t, 2, writes)
		_, writes = ask("PATCH", infoPath, "{")
		require.EqualValues(t, 1, writes)
	}
	for range 20 {
		created, writes := ask("POST", accountsPath, adaBody)
		require.Equal(t, http.StatusCreated, created.status)
		require.EqualValues(t, 1, writes)
	}
	cut, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", inner.Addr().String())
	require.NoError(t, err)
	truncated := newWire(t, cut).write("GET "+accountsPath+" HTTP/1.1", "Host: a", "Authorization: Bearer "+token)
	sent, err := io.ReadAll(truncated.reader)
	require.NoError(t, err)
	_, half, _ := strings.Cut(string(sent), "\r\n\r\n")
	whole, writes := ask("GET", accountsPath, "")
	require.Greater(t, len(whole.body), buffer)
	require.EqualValues(t, 1, writes)
	require.Equal(t, whole.body[:len(whole.body)/2], half, "a fault cut off the other half")
	headOnly, _ := ask("HEAD", accountsPath, "")
	require.Equal(t, whole.header.Get("Content-Length"), headOnly.header.Get("Content-Length"))
	stop()
	require.NoError(t, <-done)
	require.NoError(t, service.Close())
}
