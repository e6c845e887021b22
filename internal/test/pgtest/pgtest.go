// Package pgtest runs a real PostgreSQL for tests and benchmarks, in a folder below /tmp that is removed with the end of
// the program, however that ends. Where PostgreSQL is not installed, the tests that need it are skipped; in CI they fail.
package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// patience is how long a step of PostgreSQL may take on a machine that is busy with other tests.
const patience = time.Minute

// New returns the URL of a database on the server that all tests of the program share, with a schema that is the test's
// own, and the schema's name. It does not exist yet. It is dropped when the test ends.
func New(t testing.TB) (databaseURL, schema string) {
	t.Helper()
	bin := programs(t)
	s, err := shared(bin)
	require.NoError(t, err)
	schema = "test_" + strings.ToLower(rand.Text()[:12])
	t.Cleanup(func() {
		// A process that a test has killed keeps its locks until the server notices.
		s.Exec(t, "SET lock_timeout = '30s'; DROP SCHEMA IF EXISTS "+schema+" CASCADE")
	})
	return s.URL() + "&search_path=" + schema, schema
}

var sharedServer struct {
	sync.Mutex
	*Server
}

// shared starts the shared server on the first call. It is stopped with the end of the program.
func shared(bin string) (*Server, error) {
	sharedServer.Lock()
	defer sharedServer.Unlock()
	if sharedServer.Server != nil {
		return sharedServer.Server, nil
	}
	// No test kills this server, so nothing has to reach the disk.
	s, err := create(bin, "fsync=off")
	if err == nil {
		err = s.start()
	}
	if err != nil {
		return nil, err
	}
	sharedServer.Server = s
	return s, nil
}

// ErrMissing is the error of Run if PostgreSQL is not installed.
var ErrMissing = errors.New("PostgreSQL is missing")

// Run starts a server for a program that is no test, with settings as for Start. The program calls Remove when it needs
// the server no more.
func Run(settings ...string) (*Server, error) {
	bin, ok := find()
	if !ok {
		return nil, ErrMissing
	}
	s, err := create(bin, settings...)
	if err != nil {
		return nil, err
	}
	if err := s.start(); err != nil {
		s.Remove()
		return nil, err
	}
	return s, nil
}

// Start starts a server for one test, which may do with it what it likes, and stops it when the test ends. Settings are
// parameters of its configuration, such as "max_connections=5".
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	s, err := create(programs(t), settings...)
	require.NoError(t, err)
	t.Cleanup(s.Remove)
	require.NoError(t, s.start())
	return s
}

// A Server is a PostgreSQL server, which listens on a Unix socket alone, so that no two servers want the same port. The
// superuser postgres needs no password; every other role does.
type Server struct {
	bin, folder string
	settings    []string
	running     *exec.Cmd // nil: it is stopped
	guard       *exec.Cmd // removes the folder when this process ends
	guardInput  *os.File  // which the guard reads, to notice that end
}

// URL names the server's database, without a schema.
func (s *Server) URL() string { return s.URLFor("postgres", "") }

// URLFor is URL for a role with a password.
func (s *Server) URLFor(role, password string) string {
	user := url.User(role)
	if password != "" {
		user = url.UserPassword(role, password)
	}
	u := url.URL{Scheme: "postgres", User: user, Path: "/postgres", RawQuery: "host=" + s.folder}
	return u.String()
}

// Socket is the path of the server's Unix socket.
func (s *Server) Socket() string { return filepath.Join(s.folder, ".s.PGSQL.5432") }

// Exec runs SQL as the superuser.
func (s *Server) Exec(t testing.TB, statements string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL())
	require.NoError(t, err)
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.PgConn().Exec(ctx, statements).ReadAll()
	require.NoError(t, err)
}

// Stop ends the server and its connections, as a restart of the service does. Nothing that was committed is lost.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	require.NoError(t, s.running.Process.Signal(syscall.SIGINT)) // the mode that PostgreSQL calls fast
	s.wait()
}

// Kill ends all processes of the server by SIGKILL, as a crash does.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	children, err := s.signal(syscall.SIGKILL)
	require.NoError(t, err)
	s.wait()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	require.NoError(t, waitForEnd(ctx, children))
}

func (s *Server) wait() {
	_ = s.running.Wait() // its exit code does not matter
	s.running = nil
}

// Restart starts the server after Stop or Kill, and stops it before, if it still runs.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	if s.running != nil {
		s.Stop(t)
	}
	require.NoError(t, s.start())
}

// initialised is a server that is never started: others begin with a copy of its data, which is ten times as fast as
// initdb.
var initialised struct {
	sync.Mutex
	*Server
}

// create makes the folder of a server and its data.
func create(bin string, settings ...string) (*Server, error) {
	initialised.Lock()
	defer initialised.Unlock()
	if initialised.Server == nil {
		s, err := createFolder(bin)
		if err != nil {
			return nil, err
		}
		if err := s.run(filepath.Join(bin, "initdb"), "--pgdata="+s.data(), "--username=postgres",
			"--encoding=UTF8", "--locale=C", "--no-sync"); err != nil {
			return nil, err
		}
		rules := []byte("local all postgres trust\nlocal all all scram-sha-256\n")
		if err := os.WriteFile(filepath.Join(s.data(), "pg_hba.conf"), rules, 0o600); err != nil {
			return nil, err
		}
		initialised.Server = s
	}
	s, err := createFolder(bin)
	if err != nil {
		return nil, err
	}
	s.settings = settings
	return s, s.run("cp", "-R", "-p", initialised.data(), s.data())
}

// createFolder makes the folder of a server, which is removed with the end of the program.
func createFolder(bin string) (*Server, error) {
	// The name of a socket has at most 104 bytes, and a server that runs as another user needs to reach it, so the folder
	// is not in os.TempDir.
	folder, err := os.MkdirTemp("/tmp", "pgtest")
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, folder: folder}
	if err := errors.Join(giveToServerUser(folder), s.startGuard()); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return s, nil
}

func (s *Server) data() string { return filepath.Join(s.folder, "data") }

// run runs a program to its end, as the user of the server.
func (s *Server) run(program string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if output, err := s.command(ctx, program, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, output)
	}
	return nil
}

// startGuard starts a process that waits until this one has ended, in whatever way, and then ends the server, of which
// it knows by the server's own file, and removes the folder.
func (s *Server) startGuard() error {
	const script = `read -r _
cd /
if pid=$(head -n 1 "$0/data/postmaster.pid"); then
  kill -CONT "$pid"
  kill -QUIT "$pid"
  n=0
  while [ $n -lt 200 ] && [ -e "$0/data/postmaster.pid" ] && kill -0 "$pid"; do
    sleep 0.05
    n=$((n + 1))
  done
fi 2>/dev/null
rm -rf "$0"`
	input, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = input.Close() }() // the guard has its own
	s.guard = s.command(context.Background(), "/bin/sh", "-c", script, s.folder)
	s.guard.Stdin, s.guardInput = input, ours
	return s.guard.Start()
}

// start starts the server, and waits until it accepts connections. It starts again where the processes of one that was
// killed have not all ended yet.
func (s *Server) start() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := retry(ctx, func() error {
		if s.running == nil {
			if err := s.startProcess(); err != nil {
				return err
			}
		}
		conn, err := pgx.Connect(ctx, s.URL())
		if err == nil {
			return conn.Close(ctx)
		}
		if s.reap() {
			s.running = nil
		}
		return err
	})
	if err != nil {
		output, _ := os.ReadFile(s.log())
		return fmt.Errorf("PostgreSQL did not start: %w\n%s", err, output)
	}
	return nil
}

// startProcess starts the server's main process.
func (s *Server) startProcess() error {
	log, err := os.OpenFile(s.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	args := []string{"-D", s.data()}
	for _, setting := range slices.Concat([]string{
		"listen_addresses=", "unix_socket_directories=" + s.folder,
		"max_connections=300", // several tests at once, each with several stores
	}, s.settings) {
		args = append(args, "-c", setting)
	}
	cmd := s.command(context.Background(), filepath.Join(s.bin, "postgres"), args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	s.running = cmd
	return nil
}

func (s *Server) log() string { return filepath.Join(s.folder, "log") }

// Remove ends the server and removes its folder, by the guard.
func (s *Server) Remove() {
	if s.running != nil {
		_, _ = s.signal(syscall.SIGKILL)
		s.wait()
	}
	// The number of the process may be that of another one by now.
	_ = os.Remove(filepath.Join(s.data(), "postmaster.pid"))
	_ = s.guardInput.Close()
	_ = s.guard.Wait()
}

// retry calls do until it succeeds. The error is that of the last call.
func retry(ctx context.Context, do func() error) error {
	for {
		err := do()
		if err == nil {
			return nil
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

// places are where systems install PostgreSQL, apart from the PATH.
var places = []string{
	"/usr/lib/postgresql/*/bin",         // Debian, Ubuntu
	"/usr/pgsql-*/bin",                  // Red Hat, by PostgreSQL's own packages
	"/usr/libexec/postgresql*",          // Alpine
	"/opt/homebrew/opt/postgresql*/bin", // Homebrew
	"/usr/local/opt/postgresql*/bin",    // Homebrew on Intel
	"/usr/local/pgsql/bin",              // built from its source
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// programs returns the folder of PostgreSQL's programs. It skips the test if there is none, but fails it in CI,
// apart from Windows.
func programs(t testing.TB) string {
	t.Helper()
	missing := ErrMissing.Error()
	if bin, ok := find(); ok {
		return bin
	}
	if !supported {
		t.Skip("the tests start servers of PostgreSQL on Unix alone")
	}
	if os.Getenv("CI") != "" {
		t.Fatal(missing + "; .ci/install-packages installs it")
	}
	t.Skip(missing + ": install Debian's postgresql, or the package of your system that has initdb and postgres, " +
		"to run the tests of the store in PostgreSQL")
	return ""
}

func find() (bin string, ok bool) {
	if !supported {
		return "", false
	}
	if initdb, err := exec.LookPath("initdb"); err == nil {
		if initdb, err = filepath.EvalSymlinks(initdb); err == nil && complete(filepath.Dir(initdb)) {
			return filepath.Dir(initdb), true
		}
	}
	for _, place := range places {
		found, _ := filepath.Glob(place) // the patterns are correct
		slices.Reverse(found)            // the newest version first
		if i := slices.IndexFunc(found, complete); i >= 0 {
			return found[i], true
		}
	}
	return "", false
}

// complete reports whether a folder has all programs that are needed: packages of clients have some.
func complete(bin string) bool {
	for _, program := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(bin, program)); err != nil {
			return false
		}
	}
	return true
}
