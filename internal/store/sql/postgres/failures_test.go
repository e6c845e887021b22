package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store/sql"
	"github.com/payctl/payctl/internal/store/sql/postgres"
	"github.com/payctl/payctl/internal/test/pgtest"
)

const patience = time.Minute

// putAgain commits a key, with a second attempt after a failure that is retriable, as the store does.
func putAgain(ctx context.Context, db *postgres.DB, id string) error {
	err := put(ctx, db, id, id)
	if err != nil && db.Retriable(err) {
		err = put(ctx, db, id, id)
	}
	return err
}

// requireKept compares the keys with those that were acknowledged: each of these is there.
func requireKept(t *testing.T, db *postgres.DB, acknowledged *sync.Map) {
	t.Helper()
	kept := map[string]bool{}
	for _, id := range read(t, db, selectKeys) {
		kept[id] = true
	}
	acknowledged.Range(func(id, _ any) bool {
		require.True(t, kept[id.(string)], "%s was acknowledged and is lost", id)
		return true
	})
}

// Under load the server is killed, restarted, made read-only and paused. No acknowledged write is lost, and the same
// connection pool works again afterwards.
func TestServerFailsAndRecovers(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	db := openConfig(t, postgres.Config{URL: s.URL()})
	var acknowledged sync.Map
	var last atomic.Int64 // the number of acknowledged writes
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	for worker := range 4 {
		all.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				id := fmt.Sprint(worker, "-", i)
				writing, cancel := context.WithTimeout(ctx, 2*time.Second)
				if err := putAgain(writing, db, id); err == nil {
					acknowledged.Store(id, true)
					last.Add(1)
				} else {
					<-time.After(time.Millisecond)
				}
				cancel()
			}
		})
	}
	proceeds := func() {
		t.Helper()
		before := last.Load()
		require.Eventually(t, func() bool { return last.Load() > before+20 }, patience, time.Millisecond)
	}
	proceeds()
	s.Kill(t)
	s.Restart(t)
	proceeds()
	s.Restart(t)
	proceeds()
	s.SetReadOnly(t, true)
	s.SetReadOnly(t, false)
	proceeds()
	s.Pause(t)
	s.Resume(t)
	proceeds()
	s.Exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'payctl'")
	proceeds()
	stop()
	all.Wait()
	requireKept(t, db, &acknowledged)
}

// After a restart every connection of the pool is broken. One retry is enough nevertheless.
func TestOneRetryAfterARestart(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	db := openConfig(t, postgres.Config{URL: s.URL()})
	fill := func() {
		var conns []sql.Conn
		for range postgres.DefaultConnections {
			conn := begin(t, db)
			conn.Queue("SELECT 1", nil, nil)
			require.NoError(t, conn.Send())
			conns = append(conns, conn)
		}
		for _, conn := range conns {
			require.NoError(t, conn.Commit(1))
		}
	}
	for range 2 {
		fill()
		s.Restart(t)
		require.NoError(t, putAgain(t.Context(), db, "1"))
		fill()
		s.Restart(t)
		require.Equal(t, []string{"1"}, read(t, db, selectKeys), "a query tries again by itself")
	}
}

func TestUnreachableServer(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	db := openConfig(t, postgres.Config{URL: s.URL()})
	s.Stop(t)
	for range 2 {
		require.Error(t, put(t.Context(), db, "1", "one"))
	}
	for _, begin := range []func(context.Context) (sql.Conn, error){db.Begin, db.BeginRead} {
		conn, err := begin(t.Context())
		require.Error(t, err)
		require.True(t, conn == nil, "not an interface with a nil pointer, which would be rolled back")
	}
	_, err := postgres.Open(t.Context(), postgres.Config{URL: s.URL()})
	require.Error(t, err)
	require.True(t, db.Retriable(err), "%v", err)
	require.Contains(t, err.Error(), "PostgreSQL at "+filepath.Dir(s.Socket())+", database postgres, user postgres: ")
	s.Restart(t)
	require.NoError(t, put(t.Context(), db, "1", "one"))
}

// A server that accepts connections and does not respond is waited for as long as the context allows.
func TestServerThatDoesNotRespond(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	db := openConfig(t, postgres.Config{URL: s.URL(), Connections: 2})
	writing := begin(t, db)
	writing.Insert(keys, [][]any{{"w", "1", "one"}})
	require.NoError(t, writing.Send())
	s.Pause(t)
	defer s.Resume(t)

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	for _, do := range []func() error{
		func() error { return put(ctx, db, "2", "two") },
		func() error { return put(ctx, db, "2", "two") },
		func() error { return db.Query(ctx, "SELECT 1", nil, nil) },
		func() error { _, err := postgres.Open(ctx, postgres.Config{URL: s.URL()}); return err },
	} {
		err := do()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.False(t, db.Retriable(err))
	}
	require.NoError(t, db.Close(), "nor is the server waited for then")
}

// A statement that waits on the server ends with the context, there too.
func TestWaitingStatementEnds(t *testing.T) {
	t.Parallel()
	db := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	conn, err := db.Begin(ctx)
	require.NoError(t, err)
	defer conn.Rollback()
	conn.Queue("SELECT pg_sleep(600), 'of this test'", nil, nil)
	done := make(chan error)
	go func() { done <- conn.Send() }()
	running := func() bool {
		return read(t, db, "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(600), ''of this test%' "+
			"AND pid <> pg_backend_pid()")[0] == "1"
	}
	require.Eventually(t, running, patience, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.Eventually(t, func() bool { return !running() }, patience, time.Millisecond)
}

func TestReadOnlyServer(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	db := openConfig(t, postgres.Config{URL: s.URL(), Connections: 1})
	s.SetReadOnly(t, true)
	err := put(t.Context(), db, "1", "one")
	require.ErrorContains(t, err, "read-only")
	require.True(t, db.Retriable(err))
	require.NotErrorIs(t, err, sql.ErrOutcomeUnknown)
	require.ErrorIs(t, put(t.Context(), db, "1", "one"), postgres.ErrReadOnly, "new connections are refused")
	_, err = postgres.Open(t.Context(), postgres.Config{URL: s.URL()})
	require.ErrorIs(t, err, postgres.ErrReadOnly)
	s.SetReadOnly(t, false)
	require.NoError(t, put(t.Context(), db, "1", "one"))
}

// Of several hosts, the one that accepts writes is used, also after a failover.
func TestFailover(t *testing.T) {
	t.Parallel()
	one, two := pgtest.Start(t), pgtest.Start(t)
	config := postgres.Config{URL: fmt.Sprintf("host=%s,%s user=postgres dbname=postgres",
		filepath.Dir(one.Socket()), filepath.Dir(two.Socket()))}
	db := openConfig(t, config)
	require.NoError(t, put(t.Context(), db, "1", "one"))
	uuid := read(t, db, "SELECT uuid FROM identity")[0]
	openConfig(t, postgres.Config{URL: two.URL()})
	two.Exec(t, "UPDATE payctl.identity SET uuid = '"+uuid+"'") // as a standby would have it
	one.SetReadOnly(t, true)
	require.NoError(t, putAgain(t.Context(), db, "2"))
	require.Equal(t, []string{"2"}, read(t, db, selectKeys))
	one.SetReadOnly(t, false)
	two.Kill(t)
	require.NoError(t, putAgain(t.Context(), db, "3"))
	require.Equal(t, []string{"one", "3"}, read(t, db, selectKeys))
}

// A proxy passes connections on to a server, and breaks them at a time of the test's choice.
type proxy struct {
	net.Listener
	to        string
	mu        sync.Mutex
	conns     []net.Conn
	swallows  atomic.Bool // responses are not passed on
	swallowed chan struct{}
}

func newProxy(t *testing.T, to string) *proxy {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{Listener: l, to: to, swallowed: make(chan struct{}, 100)}
	t.Cleanup(func() { _ = l.Close(); p.breakAll() })
	go p.serve()
	return p
}

func (p *proxy) serve() {
	for {
		client, err := p.Accept()
		if err != nil {
			return
		}
		server, err := (&net.Dialer{}).DialContext(context.Background(), "unix", p.to)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
		go func() {
			defer client.Close()
			buffer := make([]byte, 64<<10)
			for {
				n, err := server.Read(buffer)
				if n > 0 && p.swallows.Load() {
					p.swallowed <- struct{}{}
					continue
				}
				if _, writing := client.Write(buffer[:n]); err != nil || writing != nil {
					return
				}
			}
		}()
	}
}

func (p *proxy) breakAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.conns {
		_ = conn.Close()
	}
	p.conns = nil
}

// The outcome of a commit is unknown if its response was lost, and only then.
func TestOutcomeOfACommit(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	p := newProxy(t, s.Socket())
	db := openConfig(t, postgres.Config{
		URL: "host=127.0.0.1 port=" + fmt.Sprint(p.Addr().(*net.TCPAddr).Port) + " user=postgres dbname=postgres " +
			"sslmode=disable"})
	direct := openConfig(t, postgres.Config{URL: s.URL()})
	s.Exec(t, "CREATE TABLE payctl.once (id text PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)")

	lose := func(conn sql.Conn) error {
		p.swallows.Store(true)
		done := make(chan error)
		go func() { done <- conn.Commit(1) }()
		<-p.swallowed
		p.breakAll()
		p.swallows.Store(false)
		return <-done
	}
	conn := begin(t, db)
	conn.Insert(keys, [][]any{{"w", "1", "one"}})
	require.NoError(t, conn.Send())
	err := lose(conn)
	require.ErrorIs(t, err, sql.ErrOutcomeUnknown)
	require.True(t, db.Retriable(err))
	require.Equal(t, []string{"one"}, read(t, direct, selectKeys), "it has happened here")

	t.Run("the caller gives up", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		conn, err := db.Begin(ctx)
		require.NoError(t, err)
		defer conn.Rollback()
		conn.Insert(keys, [][]any{{"w", "1", "deux"}})
		require.NoError(t, conn.Send())
		p.swallows.Store(true)
		done := make(chan error)
		go func() { done <- conn.Commit(1) }()
		<-p.swallowed
		cancel()
		err = <-done
		p.swallows.Store(false)
		require.ErrorIs(t, err, sql.ErrOutcomeUnknown)
		require.ErrorIs(t, err, context.Canceled)
		require.False(t, db.Retriable(err))
	})
	p.breakAll()

	t.Run("a connection that broke before", func(t *testing.T) {
		conn := begin(t, db)
		conn.Insert(keys, [][]any{{"w", "2", "two"}})
		if err := conn.Send(); err != nil { // a connection of the pool broke above
			require.True(t, db.Retriable(err))
			conn.Rollback()
			conn = begin(t, db)
			conn.Insert(keys, [][]any{{"w", "2", "two"}})
			require.NoError(t, conn.Send())
		}
		s.Exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'")
		err := conn.Commit(1)
		require.Error(t, err)
		require.True(t, db.Retriable(err))
		require.NotContains(t, read(t, direct, selectKeys), "two")
	})

	t.Run("a commit that fails", func(t *testing.T) {
		conn := begin(t, direct)
		conn.Queue("INSERT INTO once VALUES ('a'), ('a')", nil, nil)
		err := conn.Commit(1)
		require.ErrorContains(t, err, "23505")
		require.NotErrorIs(t, err, sql.ErrOutcomeUnknown)
		require.False(t, db.Retriable(err))
	})
}

// A transaction whose process stopped in the middle of it does not keep its locks.
func TestTransactionOfAStoppedProcessEnds(t *testing.T) {
	t.Parallel()
	db := open(t)
	conn := begin(t, db)
	var idle []string
	conn.Queue("SHOW idle_in_transaction_session_timeout", nil, collect(&idle))
	require.NoError(t, conn.Send())
	require.Equal(t, []string{"10s"}, idle)
	conn.Queue("SET LOCAL idle_in_transaction_session_timeout = 10", nil, nil)
	require.NoError(t, conn.Send())
	require.Eventually(t, func() bool {
		return read(t, db, "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND query LIKE 'SET LOCAL idle%'")[0] == "0"
	}, patience, time.Millisecond)
	conn.Queue("SELECT 1", nil, nil)
	err := conn.Send()
	require.Error(t, err)
	require.True(t, db.Retriable(err), "%v", err)
}

// Two transactions that wait for each other: the server ends one of them.
func TestDeadlockIsRetriable(t *testing.T) {
	t.Parallel()
	db := open(t)
	for _, id := range []string{"1", "2"} {
		require.NoError(t, put(t.Context(), db, id, id))
	}
	lock := "SELECT 1 FROM idempotency_keys WHERE id = $1 FOR UPDATE"
	conns := []sql.Conn{begin(t, db), begin(t, db)}
	for i, conn := range conns {
		conn.Queue("SET LOCAL deadlock_timeout = 10", nil, nil)
		conn.Queue(lock, []any{fmt.Sprint(1 + i)}, nil)
		require.NoError(t, conn.Send())
	}
	errs := make([]error, len(conns))
	var both sync.WaitGroup
	for i, conn := range conns {
		both.Go(func() {
			conn.Queue(lock, []any{fmt.Sprint(2 - i)}, nil)
			errs[i] = conn.Send()
			conn.Rollback()
		})
	}
	both.Wait()
	require.True(t, (errs[0] == nil) != (errs[1] == nil), "%v", errs)
	require.True(t, db.Retriable(errors.Join(errs...)))
}

func TestTooManyConnections(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t, "max_connections=5", "superuser_reserved_connections=0")
	first := openConfig(t, postgres.Config{URL: s.URL(), Connections: 5})
	for range 5 {
		conn := begin(t, first)
		conn.Queue("SELECT 1", nil, nil)
		require.NoError(t, conn.Send())
	}
	_, err := postgres.Open(t.Context(), postgres.Config{URL: s.URL()})
	require.ErrorContains(t, err, "53300")
	require.False(t, first.Retriable(err))
}

// A disk without space fails statements, and the next ones work when it has some again. The error is the server's, from a
// trigger, since not every machine lets a test make a small disk.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	db := open(t)
	require.NoError(t, put(t.Context(), db, "1", "one"))
	for _, statement := range []string{
		"CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS " +
			"$$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$",
		"CREATE TRIGGER full_disk BEFORE INSERT ON idempotency_keys EXECUTE FUNCTION full_disk()",
	} {
		require.NoError(t, db.Query(t.Context(), statement, nil, nil))
	}
	err := put(t.Context(), db, "2", "two")
	require.ErrorContains(t, err, "No space left")
	require.False(t, db.Retriable(err))
	require.NotErrorIs(t, err, sql.ErrOutcomeUnknown)
	require.NoError(t, db.Query(t.Context(), "DROP TRIGGER full_disk ON idempotency_keys", nil, nil))
	require.NoError(t, put(t.Context(), db, "2", "two"))
	require.Equal(t, []string{"one", "two"}, read(t, db, selectKeys))
}
