package pgtest_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/pgtest"
)

func connect(t *testing.T, databaseURL string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func TestEachTestHasItsSchema(t *testing.T) {
	t.Parallel()
	var schemas []string
	var databaseURL string
	t.Run("tests", func(t *testing.T) {
		for range 2 {
			var schema string
			databaseURL, schema = pgtest.New(t)
			_, err := connect(t, databaseURL).Exec(t.Context(), "CREATE SCHEMA "+schema+"; CREATE TABLE "+schema+".t (a int)")
			require.NoError(t, err)
			schemas = append(schemas, schema)
		}
	})
	if len(schemas) == 0 {
		t.Skip("without PostgreSQL")
	}
	require.NotEqual(t, schemas[0], schemas[1])
	var left int
	require.NoError(t, connect(t, databaseURL).QueryRow(t.Context(),
		"SELECT count(*) FROM pg_namespace WHERE nspname = ANY($1)", schemas).Scan(&left))
	require.Zero(t, left)
}

func TestServerOfATest(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t, "max_connections=7")
	read := func(query string) (value string) {
		require.NoError(t, connect(t, s.URL()).QueryRow(t.Context(), query).Scan(&value))
		return value
	}
	require.Equal(t, "7", read("SHOW max_connections"))
	require.Equal(t, "on", read("SHOW fsync"), "or a crash would lose commits")

	s.Exec(t, "CREATE TABLE t AS SELECT 'kept' AS a; CREATE ROLE r LOGIN PASSWORD 'p'")
	s.Kill(t)
	_, err := pgx.Connect(t.Context(), s.URL())
	require.Error(t, err)
	s.Restart(t)
	require.Equal(t, "kept", read("SELECT a FROM t"))
	s.Restart(t)
	require.Equal(t, "kept", read("SELECT a FROM t"))

	s.SetReadOnly(t, true)
	_, err = connect(t, s.URL()).Exec(t.Context(), "DROP TABLE t")
	require.ErrorContains(t, err, "read-only")
	s.SetReadOnly(t, false)

	connect(t, s.URLFor("r", "p"))
	_, err = pgx.Connect(t.Context(), s.URLFor("r", "wrong"))
	require.ErrorContains(t, err, "password authentication failed")

	open := connect(t, s.URL())
	s.Pause(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = open.Exec(ctx, "SELECT 1")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	s.Resume(t)
	require.Equal(t, "kept", read("SELECT a FROM t"))
}

// A test program that is killed leaves no server and no folder.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	const variable = "PGTEST_FOLDER_INTO"
	if into := os.Getenv(variable); into != "" {
		s := pgtest.Start(t)
		require.NoError(t, os.WriteFile(into+".new", []byte(filepath.Dir(s.Socket())), 0o600))
		require.NoError(t, os.Rename(into+".new", into))
		<-t.Context().Done() // until it is killed
		return
	}
	pgtest.New(t) // skips without PostgreSQL
	into := filepath.Join(t.TempDir(), "folder")
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^"+t.Name()+"$", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), variable+"="+into)
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { _, err := os.Stat(into); return err == nil }, time.Minute, 10*time.Millisecond)
	folder, err := os.ReadFile(into)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(folder), "/tmp/pgtest"))
	require.DirExists(t, string(folder))
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.Eventually(t, func() bool { _, err := os.Stat(string(folder)); return os.IsNotExist(err) },
		time.Minute, 10*time.Millisecond)
}
