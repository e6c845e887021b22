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

// Variables: where a process that serves instead of running tests keeps its data (a place in JSON), and how often it is
// killed.
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

// open opens the data of servers that are no more, or share it.
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

// failures writes the lines of a log to standard error that no test expects.
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

// kill ends the process without a word of warning.
func (p *process) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Kill())
	_ = p.cmd.Wait() // it was killed, and says so
}

// killsOr is how often a test kills, unless soakKills says otherwise.
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

// TestKill kills the server of a folder under load at random moments. After each kill no acknowledged write is lost,
// and no effect is there without its idempotency record, none twice; tokens, secrets and the world's identity live
// on.
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

// TestKillServersOfOneDatabase kills random servers of several under load, and starts others in their places.
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

// TestKillDatabase kills the whole database under load. Meanwhile the servers answer with status 503, and go on as soon
// as it runs again.
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

// requireUnready holds a server to report that it cannot be used, and to answer with status 503.
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
