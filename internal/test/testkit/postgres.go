package testkit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// postgresPatience limits each PostgreSQL command. It is long because the machine may run other tests.
const postgresPatience = time.Minute

// NewDatabase returns the URL of a database on the server that all tests of the program share, with a schema for this
// test, and the schema's name. The schema does not exist yet. It is dropped when the test ends. Without PostgreSQL the
// test is skipped; in CI it fails.
func NewDatabase(t testing.TB) (databaseURL, schema string) {
	t.Helper()
	requirePostgres(t)
	s, err := shared()
	require.NoError(t, err)
	schema = "test_" + strings.ToLower(rand.Text()[:12])
	t.Cleanup(func() {
		// A process that a test has killed keeps its locks until the server notices.
		s.Exec(t, "SET lock_timeout = '30s'; DROP SCHEMA IF EXISTS "+schema+" CASCADE")
	})
	return s.URL() + "&search_path=" + schema, schema
}

// shared is the shared server. No test kills it, so nothing has to reach the disk.
var shared = sync.OnceValues(func() (*Postgres, error) { return RunPostgres("fsync=off") })

// ErrNoPostgres is the error of RunPostgres if PostgreSQL is not installed.
var ErrNoPostgres = errors.New("PostgreSQL is missing")

// RunPostgres starts a server for a program that is not a test, with settings as for StartPostgres. The program calls
// Remove when it no longer needs the server.
func RunPostgres(settings ...string) (*Postgres, error) {
	data, err := initialised()
	if err != nil {
		return nil, err
	}
	s, err := createFolder()
	if err != nil {
		return nil, err
	}
	if err = s.run("cp", "-R", "-p", data.data(), s.data()); err == nil {
		err = s.configure(settings)
	}
	if err == nil {
		err = s.start()
	}
	if err != nil {
		s.Remove()
		return nil, err
	}
	return s, nil
}

// StartPostgres starts a server for one test, which may stop it and change it. It ends with the test. Settings are
// configuration parameters, such as "max_connections=5".
func StartPostgres(t testing.TB, settings ...string) *Postgres {
	t.Helper()
	requirePostgres(t)
	s, err := RunPostgres(settings...)
	require.NoError(t, err)
	t.Cleanup(s.Remove)
	return s
}

// A Postgres is a PostgreSQL server. It listens only on a Unix socket, so servers do not compete for ports. The
// superuser postgres needs no password; every other role does.
type Postgres struct {
	folder     string
	guard      *exec.Cmd // ends the server and removes the folder when this process ends
	guardInput *os.File  // the guard reads it to notice that end
}

// URL returns the URL of the server's database, without a schema.
func (s *Postgres) URL() string { return s.URLFor("postgres", "") }

// URLFor is URL for a role with a password.
func (s *Postgres) URLFor(role, password string) string {
	user := url.User(role)
	if password != "" {
		user = url.UserPassword(role, password)
	}
	u := url.URL{Scheme: "postgres", User: user, Path: "/postgres", RawQuery: "host=" + s.folder}
	return u.String()
}

// Socket is the path of the server's Unix socket.
func (s *Postgres) Socket() string { return filepath.Join(s.folder, ".s.PGSQL.5432") }

func (s *Postgres) data() string { return filepath.Join(s.folder, "data") }

// Exec runs SQL as the superuser.
func (s *Postgres) Exec(t testing.TB, statements string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), postgresPatience)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL())
	require.NoError(t, err)
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.PgConn().Exec(ctx, statements).ReadAll()
	require.NoError(t, err)
}

// Stop ends the server and its connections, as a restart does. Nothing that was committed is lost.
func (s *Postgres) Stop(t testing.TB) {
	t.Helper()
	require.NoError(t, s.control("stop", "--mode=fast"))
}

// Kill ends all processes of the server at once and without a checkpoint, like a crash.
func (s *Postgres) Kill(t testing.TB) {
	t.Helper()
	require.NoError(t, s.control("stop", "--mode=immediate"))
}

// Restart starts the server after Stop or Kill. If the server still runs, Restart stops it first.
func (s *Postgres) Restart(t testing.TB) {
	t.Helper()
	_ = s.control("stop", "--mode=fast") // it may have ended already
	require.NoError(t, s.start())
}

// Remove makes the guard end the server and remove the folder, and waits for it.
func (s *Postgres) Remove() {
	_ = s.guardInput.Close()
	_ = s.guard.Wait()
}

// start starts the server and waits until it accepts connections.
func (s *Postgres) start() error {
	log := filepath.Join(s.folder, "log")
	if err := s.control("start", "--wait", "--log="+log); err != nil {
		output, _ := os.ReadFile(log)
		return fmt.Errorf("PostgreSQL did not start: %w\n%s", err, output)
	}
	return nil
}

func (s *Postgres) control(args ...string) error {
	return s.run(program("pg_ctl"), append(args, "--pgdata="+s.data())...)
}

// initialised is a server that never starts. Other servers copy its data, which is ten times as fast as initdb.
var initialised = sync.OnceValues(func() (*Postgres, error) {
	if program("initdb") == "" {
		return nil, ErrNoPostgres
	}
	s, err := createFolder()
	if err != nil {
		return nil, err
	}
	if err := s.run(program("initdb"), "--pgdata="+s.data(), "--username=postgres",
		"--encoding=UTF8", "--locale=C", "--no-sync"); err != nil {
		return nil, err
	}
	rules := []byte("local all postgres trust\nlocal all all scram-sha-256\n")
	return s, os.WriteFile(filepath.Join(s.data(), "pg_hba.conf"), rules, 0o600)
})

// configure writes settings of the form NAME=VALUE to the configuration of the server.
func (s *Postgres) configure(settings []string) error {
	file, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	for _, setting := range append([]string{
		"listen_addresses=", "unix_socket_directories=" + s.folder,
		"max_connections=300", // several tests at once, each with several stores
	}, settings...) {
		name, value, _ := strings.Cut(setting, "=")
		_, failed := fmt.Fprintf(file, "%s = '%s'\n", name, value)
		err = errors.Join(err, failed)
	}
	return errors.Join(err, file.Close())
}

// createFolder creates the folder of a server and starts the guard. The guard waits until this process ends in any way.
// Then it ends the server and removes the folder.
func createFolder() (*Postgres, error) {
	// The path of a socket has at most 104 bytes, and a server that runs as another user must reach it. So the folder is
	// not in os.TempDir.
	folder, err := os.MkdirTemp("/tmp", "postgres")
	if err != nil {
		return nil, err
	}
	input, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = input.Close() }() // the guard has its own
	const script = `read -r _; cd /; "$1" stop --mode=immediate --pgdata="$0/data"; rm -rf "$0"`
	s := &Postgres{folder: folder, guardInput: ours}
	//nolint:noctx,gosec // it outlives all contexts
	s.guard = exec.Command("/bin/sh", "-c", script, folder, program("pg_ctl"))
	s.guard.Stdin = input
	asServerUser(s.guard)
	if err := errors.Join(giveToServerUser(folder), s.guard.Start()); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return s, nil
}

// run runs a program to its end, as the server's user. Processes that it leaves running may keep its output open.
func (s *Postgres) run(program string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), postgresPatience)
	defer cancel()
	output, err := os.CreateTemp("", "postgres")
	if err != nil {
		return err
	}
	defer func() { _, _ = output.Close(), os.Remove(output.Name()) }()
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // a program of PostgreSQL, and cp
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.folder, output, output
	asServerUser(cmd)
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(output.Name())
		return fmt.Errorf("%s: %w\n%s", program, err, text)
	}
	return nil
}

// program returns the path of a PostgreSQL program in PATH or where systems install it, or "" if there is none.
func program(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	newest := ""
	for _, place := range []string{
		"/usr/lib/postgresql/*/bin",         // Debian, Ubuntu
		"/usr/pgsql-*/bin",                  // Red Hat, by PostgreSQL's own packages
		"/opt/homebrew/opt/postgresql*/bin", // Homebrew
	} {
		found, _ := filepath.Glob(filepath.Join(place, name)) // the patterns are valid
		if len(found) > 0 {
			newest = found[len(found)-1]
		}
	}
	return newest
}

// requirePostgres skips the test if there is no PostgreSQL. In CI it fails the test, except on Windows.
func requirePostgres(t testing.TB) {
	t.Helper()
	switch {
	case runtime.GOOS == "windows":
		t.Skip("the tests start PostgreSQL only on Unix")
	case program("initdb") != "":
	case os.Getenv("CI") != "":
		t.Fatal(ErrNoPostgres, "; .ci/install-packages installs it")
	default:
		t.Skip(ErrNoPostgres, ": install Debian's postgresql, or the package of your system that has initdb and postgres")
	}
}
