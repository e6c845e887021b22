package refserver_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/service"
)

// A service is ready while it can use its data and is not stopping. It remains healthy after that. If its store fails,
// it answers with 503 and gives no reason.
func TestReadiness(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "data")
	s, err := refserver.New(refserver.Config{Data: folder, Check: true})
	require.NoError(t, err)
	ask := func(ctx context.Context, method, path, authorization string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, method, path, nil)
		r.Header.Set("Authorization", authorization)
		s.Handler.ServeHTTP(w, r)
		return w
	}
	requireUnready := func(ctx context.Context) {
		t.Helper()
		w := ask(ctx, "GET", "/readyz", "")
		require.NoError(t, isUnavailable(answer{w.Code, w.Header(), w.Body.Bytes()}))
		require.Equal(t, http.StatusOK, ask(ctx, "GET", "/healthz", "").Code)
	}
	requireUnavailable := func(ctx context.Context) {
		t.Helper()
		requireUnready(ctx)
		for _, w := range []*httptest.ResponseRecorder{
			ask(ctx, "GET", "/accounts/v1", "Bearer abc"), ask(ctx, "GET", "/accounts/x/v1", "Bearer abc"),
			ask(ctx, "POST", "/identity/auth/tokens/current/v1", "Basic c2FuZGJveDpzYW5kYm94LXNlY3JldA=="),
		} {
			require.NoError(t, isUnavailable(answer{w.Code, w.Header(), w.Body.Bytes()}))
			require.Empty(t, w.Header().Get("WWW-Authenticate"))
			require.NotContains(t, w.Body.String(), "sqlite")
		}
	}
	w := ask(t.Context(), "GET", "/readyz", "")
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.Equal(t, "no-store", w.Header().Get("Cache-Control"))

	// The folder is moved away and back.
	require.NoError(t, os.Rename(folder, folder+".moved"))
	requireUnready(t.Context())
	require.NoError(t, os.Rename(folder+".moved", folder))
	require.Equal(t, http.StatusOK, ask(t.Context(), "GET", "/readyz", "").Code)

	ctx, stop := context.WithCancelCause(t.Context())
	stop(service.ErrStopping)
	requireUnavailable(ctx)
	require.NoError(t, s.Close()) // now the store can be neither read nor written
	requireUnavailable(t.Context())
}

// A request that began before the service was told to stop is still answered, even if it writes.
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
	_, err = fmt.Fprintf(conn, "POST /accounts/v1 HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", address, c.token, len(person))
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
	}, patience, time.Millisecond, "a stopping service accepts no connection")
	_, err = conn.Write([]byte(person))
	require.NoError(t, err)
	response, err := http.ReadResponse(reader, nil)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusCreated, response.StatusCode)
	require.NoError(t, <-done)
	require.NoError(t, service.Close())
}
