package refserver_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
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
	}, patience, time.Millisecond, "a service that stops accepts no connection")
	_, err = conn.Write([]byte(person))
	require.NoError(t, err)
	response, err := http.ReadResponse(reader, nil)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusCreated, response.StatusCode)
	require.NoError(t, <-done)
	require.NoError(t, service.Close())
}
