package refserver_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// A request that has begun when the service is told to stop is answered as ever, also if it writes.
func TestRunningRequestsFinish(t *testing.T) {
	t.Parallel()
	service, err := refserver.New(refserver.Config{Data: t.TempDir()})
	require.NoError(t, err)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- service.Serve(ctx, listener, nil) }()
	address := listener.Addr().String()
	c := login(t, "http://"+address, 1)

	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	defer conn.Close()
	const body = `{"type":"individual","firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","country":"GB"}`
	_, err = fmt.Fprintf(conn, "POST /accounts/v1 HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", address, c.token, len(body))
	require.NoError(t, err)
	reader := bufio.NewReader(conn)
	line, err := reader.ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "100 Continue", "the service reads the body")
	_, err = reader.ReadString('\n')
	require.NoError(t, err)
	stop()
	require.Eventually(t, func() bool {
		late, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = late.Close()
		}
		return err != nil
	}, 10*time.Second, time.Millisecond, "a service that stops accepts no connection")
	_, err = conn.Write([]byte(body))
	require.NoError(t, err)
	response, err := http.ReadResponse(reader, nil)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusCreated, response.StatusCode)
	require.NoError(t, <-done)
	require.NoError(t, service.Close())
}

// pipes is a listener within the process, for the fake time of synctest.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	conn, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p pipes) Close() error { close(p); return nil }

func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// While a delay before the stop lasts, the service answers everything on any connection, but is not ready and keeps no
// connection open.
func TestStopDelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, err := refserver.New(refserver.Config{StopDelay: time.Minute, Check: true})
		require.NoError(t, err)
		listener := make(pipes)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- service.Serve(ctx, listener, nil) }()
		ask := func(conn net.Conn, method, path string) *http.Response {
			t.Helper()
			request, err := http.NewRequestWithContext(t.Context(), method, "http://payctl"+path, nil)
			require.NoError(t, err)
			request.SetBasicAuth(paytest.ClientID, paytest.ClientSecret)
			go func() { _ = request.Write(conn) }()
			response, err := http.ReadResponse(bufio.NewReader(conn), request)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			return response
		}
		connect := func() net.Conn {
			ours, theirs := net.Pipe()
			listener <- theirs
			return ours
		}
		const token = "/identity/auth/tokens/current/v1"
		early := connect()
		require.Equal(t, http.StatusOK, ask(early, http.MethodGet, "/readyz").StatusCode)
		stop()
		synctest.Wait()
		for _, conn := range []net.Conn{early, connect()} {
			response := ask(conn, http.MethodPost, token)
			require.Equal(t, http.StatusOK, response.StatusCode)
			require.True(t, response.Close)
		}
		require.Equal(t, http.StatusOK, ask(connect(), http.MethodGet, "/healthz").StatusCode)
		unready := ask(connect(), http.MethodGet, "/readyz")
		require.Equal(t, http.StatusServiceUnavailable, unready.StatusCode)
		require.Equal(t, "1", unready.Header.Get("Retry-After"))
		began := time.Now()
		require.NoError(t, <-done)
		require.Equal(t, time.Minute, time.Since(began))
		require.NoError(t, service.Close())
	})
}
