//go:build linux

package app

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/paytest"

	"github.com/payctl/payctl/internal/payments"
)

const idleRequests = 10_000

const serveChild = "PAYCTL_TEST_SERVE"

// TestServeChild is the server of the tests below, in a process of its own.
func TestServeChild(t *testing.T) {
	if os.Getenv(serveChild) == "" {
		t.Skip("it is run by other tests")
	}
	require.Zero(t, Main([]string{"serve", "--addr", "127.0.0.1:0", "--clock", "manual"}))
}

// startServe runs `payctl serve` until the test ends.
func startServe(t *testing.T) (at ready) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestServeChild$")
	child.Env = append(os.Environ(), serveChild+"=1", "PAYCTL_CONFIG_DIR="+t.TempDir())
	child.Cancel = func() error { return child.Process.Signal(syscall.SIGTERM) }
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	t.Cleanup(func() { _ = child.Wait() })
	line, err := bufio.NewReader(out).ReadBytes('\n')
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(line, &at))
	return at
}

// memory is the resident memory of a process in MiB, and the most that it ever was.
func memory(t *testing.T, pid int) (now, most int) {
	t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	require.NoError(t, err)
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		switch fields[0] {
		case "VmRSS:":
			now, err = strconv.Atoi(fields[1])
		case "VmHWM:":
			most, err = strconv.Atoi(fields[1])
		}
		require.NoError(t, err)
	}
	return now >> 10, most >> 10
}

// TestIdleRequests holds ten thousand requests open on one server, which may take so many MiB for them. Then something
// happens, and all of them get the event.
func TestIdleRequests(t *testing.T) {
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	if testing.Short() || limit.Cur < idleRequests+200 {
		t.Skipf("it takes %d open files of %d", idleRequests, limit.Cur)
	}
	for accept, mebibytes := range map[string]int{"application/json": 300, "text/event-stream": 350} {
		t.Run(accept, func(t *testing.T) {
			at := startServe(t)
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			token := login(t, client, at)
			before, _ := memory(t, at.PID)
			received := hold(t, at, token, accept)
			now, _ := memory(t, at.PID)
			t.Logf("%d idle requests: %d MiB resident, %d before; %d KiB each", idleRequests, now, before, (now-before)<<10/idleRequests)
			if !paytest.Raced {
				require.Less(t, now, mebibytes)
			}
			openAccount(t, client, at, token)
			received(idleRequests)
			_, most := memory(t, at.PID)
			t.Logf("%d MiB at the most, when all got the event at once", most)
		})
	}
}

func login(t *testing.T, client *http.Client, at ready) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", at.URL+"/identity/auth/tokens/current/v1", nil)
	require.NoError(t, err)
	r.SetBasicAuth(at.ClientID, at.ClientSecret)
	response, err := client.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	var token payments.AccessToken
	require.NoError(t, json.UnmarshalRead(response.Body, &token))
	return token.AccessToken
}

func openAccount(t *testing.T, client *http.Client, at ready, token string) {
	t.Helper()
	body := `{"type":"individual","firstName":"Ada","lastName":"L","email":"ada@example.com","country":"GB"}`
	r, err := http.NewRequestWithContext(t.Context(), "POST", at.URL+"/accounts/v1", strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	response, err := client.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusCreated, response.StatusCode)
}

// hold opens the requests and returns when the server holds all of them. Received waits until so many got the event of an
// account.
func hold(t *testing.T, at ready, token, accept string) (received func(count int)) {
	t.Helper()
	request := fmt.Sprintf("GET /events/v1?after=latest HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nAccept: %s\r\nPrefer: wait=60\r\n\r\n",
		strings.TrimPrefix(at.URL, "http://"), token, accept)
	connections := make([]net.Conn, idleRequests)
	dialer := net.Dialer{}
	for i := range connections {
		connection, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(at.URL, "http://"))
		require.NoError(t, err)
		t.Cleanup(func() { _ = connection.Close() })
		_, err = connection.Write([]byte(request))
		require.NoError(t, err)
		connections[i] = connection
	}
	settle(t, at)
	return func(count int) {
		t.Helper()
		var got atomic.Int64
		var all sync.WaitGroup
		for _, connection := range connections {
			all.Go(func() {
				if connection.SetReadDeadline(time.Now().Add(50*time.Second)) != nil {
					return
				}
				answer := bufio.NewReader(connection)
				for {
					part, err := answer.ReadString(',')
					if strings.Contains(part, "account.created") {
						got.Add(1)
						return
					}
					if err != nil {
						return
					}
				}
			})
		}
		all.Wait()
		require.EqualValues(t, count, got.Load())
	}
}

// settle waits until the server is at rest: it has taken every connection and used no time for a while.
func settle(t *testing.T, at ready) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	last := ""
	for {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(at.PID) + "/stat")
		require.NoError(t, err)
		files, err := os.ReadDir("/proc/" + strconv.Itoa(at.PID) + "/fd")
		require.NoError(t, err)
		fields := strings.Fields(string(stat))
		used := fields[13] + " " + fields[14]
		if len(files) > idleRequests && used == last {
			return
		}
		last = used
		select {
		case <-tick.C:
		case <-ctx.Done():
			require.Fail(t, "the server does not come to rest", "%d files", len(files))
		}
	}
}
