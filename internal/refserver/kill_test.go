package refserver_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/payctl/payctl/internal/test/testkit"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
	"github.com/payctl/payctl/internal/store/postgres"
)

// Environment variables: servePlace is the place, in JSON, of a process that serves instead of running tests. soakKills
// is how often each test kills.
const (
	servePlace = "PAYCTL_TEST_SERVE"
	soakKills  = "PAYCTL_SOAK_KILLS"
)

const (
	perStore    = 20 // kills
	connections = 16
)

// A place is where servers keep their data.
type place struct {
	Folder   string
	Database *refserver.Database
}

// open opens the data of servers. Those of a folder must have ended.
func (p place) open(t *testing.T) store.Store {
	t.Helper()
	if p.Database == nil {
		s, err := memory.Open(t.Context(), p.Folder)
		require.NoError(t, err)
		return s
	}
	s, err := postgres.Open(t.Context(), *p.Database)
	require.NoError(t, err)
	return s
}

// TestMain serves in the processes that tests start.
func TestMain(m *testing.M) {
	if at := os.Getenv(servePlace); at != "" {
		fmt.Fprintln(os.Stderr, serveUntilKilled(at))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// failures writes the log lines that no test expects to standard error.
type failures struct{}

func (failures) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("msg=unavailable")) {
		return len(line), nil
	}
	return os.Stderr.Write(line)
}

// serveUntilKilled runs a server whose transfers settle while a test runs.
func serveUntilKilled(at string) error {
	var p place
	if err := json.Unmarshal([]byte(at), &p); err != nil {
		return err
	}
	s, err := refserver.New(refserver.Config{
		Data: p.Folder, Database: p.Database, KYCDelay: time.Nanosecond, SettleDelay: 20 * time.Millisecond,
		Log: slog.New(slog.NewTextHandler(failures{}, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, "http://"+listener.Addr().String())
	return s.Serve(context.Background(), listener, nil)
}

// process is a server that can be killed.
type process struct {
	cmd *exec.Cmd
	url string
}

func startProcess(t *testing.T, at place) *process {
	t.Helper()
	text, err := json.Marshal(at)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), servePlace+"="+string(text))
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	return &process{cmd, line[:len(line)-1]}
}

// kill ends the process without warning.
func (p *process) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Kill())
	_ = p.cmd.Wait() // the error says that it was killed
}

// killsOr returns soakKills, or usually if it is not set. Short tests kill half as often.
func killsOr(t *testing.T, usually int) int {
	t.Helper()
	text := os.Getenv(soakKills)
	switch {
	case text == "" && testing.Short():
		return (usually + 1) / 2
	case text == "":
		return usually
	}
	rounds, err := strconv.Atoi(text)
	require.NoError(t, err)
	return rounds
}

// TestKill kills the server of a folder under load at random moments. Each kill leaves every acknowledged write, and no
// effect twice or without its idempotency record. Tokens and the world's instance survive.
func TestKill(t *testing.T) {
	t.Parallel()
	for left := killsOr(t, 4); left > 0; left -= perStore {
		f := startFleet(t, place{Folder: t.TempDir()}, 1)
		f.underLoad(min(left, perStore), func() {
			f.servers[0].kill(t)
			f.inspect()
			f.replace(0)
		})
	}
}

// TestKillServersOfOneDatabase kills random servers of a database under load and starts others in their place.
func TestKillServersOfOneDatabase(t *testing.T) {
	t.Parallel()
	for left := killsOr(t, 4); left > 0; left -= perStore {
		f := startFleet(t, place{Database: newDatabase(t)}, 4)
		f.underLoad(min(left, perStore), func() {
			slot := rand.IntN(len(f.servers))
			f.servers[slot].kill(t)
			f.replace(slot)
			f.inspect()
		})
	}
}

// TestKillDatabase kills the database server under load. The servers answer with status 503 until it runs again.
func TestKillDatabase(t *testing.T) {
	t.Parallel()
	for left := killsOr(t, 1); left > 0; left -= perStore {
		database := testkit.StartPostgres(t)
		f := startFleet(t, place{Database: &refserver.Database{URL: database.URL()}}, 3)
		f.underLoad(min(left, perStore), func() {
			database.Kill(t)
			for slot := range f.servers {
				f.requireUnready(f.server(slot))
			}
			database.Restart(t)
			for slot := range f.servers {
				require.Eventually(t, func() bool {
					a, err := f.server(slot).do(t.Context(), http.MethodGet, "/readyz", "", "")
					require.NoError(t, err)
					return a.status == http.StatusOK
				}, patience, time.Millisecond)
			}
			f.inspect()
		})
	}
}

// requireUnready requires that a server answers with status 503 and reports that it is healthy but not ready.
func (f *fleet) requireUnready(c *caller) {
	f.t.Helper()
	for path, method := range map[string]string{"/readyz": "GET", "/transfers/v1": "GET", "/accounts/v1": "POST"} {
		body := map[string]string{"POST": person}[method]
		a, err := c.do(f.t.Context(), method, path, body, "")
		require.NoError(f.t, err)
		require.NoError(f.t, isUnavailable(a))
	}
	a, err := c.do(f.t.Context(), http.MethodGet, "/healthz", "", "")
	require.NoError(f.t, err)
	require.Equal(f.t, http.StatusOK, a.status)
}
