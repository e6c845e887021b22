package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/sql"
	"github.com/payctl/payctl/internal/store/sql/postgres"
	"github.com/payctl/payctl/internal/test/pgtest"
)

// open opens a schema that is the test's own.
func open(t testing.TB) *postgres.DB {
	t.Helper()
	databaseURL, schema := pgtest.New(t)
	return openConfig(t, postgres.Config{URL: databaseURL, Schema: schema})
}

func openConfig(t testing.TB, config postgres.Config) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// begin begins a transaction that is rolled back at the end of the test, unless it has ended before.
func begin(t testing.TB, db *postgres.DB) sql.Conn {
	t.Helper()
	conn, err := db.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(conn.Rollback)
	return conn
}

// collect takes rows of one text.
func collect(into *[]string) func(func(...any) error) error {
	return func(scan func(...any) error) error {
		var value string
		err := scan(&value)
		*into = append(*into, value)
		return err
	}
}

// read returns the texts that a query returns.
func read(t testing.TB, db *postgres.DB, query string, args ...any) (found []string) {
	t.Helper()
	require.NoError(t, db.Query(t.Context(), query, args, collect(&found)))
	return found
}

var keys = &sql.Insertion{
	Table:   "idempotency_keys",
	Columns: []sql.Column{{Name: "world"}, {Name: "id"}, {Name: "document"}},
	Key:     []string{"world", "id"},
}

// put commits a key.
func put(ctx context.Context, db *postgres.DB, id, document string) error {
	conn, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	defer conn.Rollback()
	conn.Insert(keys, [][]any{{"w", id, document}})
	return conn.Commit(1)
}

const selectKeys = "SELECT document FROM idempotency_keys WHERE world = 'w' ORDER BY id"

func TestTransaction(t *testing.T) {
	t.Parallel()
	db := open(t)
	conn := begin(t, db)
	conn.Insert(keys, [][]any{{"w", "1", "one"}, {"w", "2", "two"}})
	var seen []string
	conn.Queue(selectKeys, nil, collect(&seen))
	require.NoError(t, conn.Send())
	require.Equal(t, []string{"one", "two"}, seen, "a transaction sees its own writes")
	require.Empty(t, read(t, db, selectKeys), "others do not, before the commit")

	conn.Insert(keys, [][]any{{"w", "2", "deux"}})
	conn.Queue("DELETE FROM idempotency_keys WHERE world = $1 AND id = $2", []any{"w", "1"}, nil)
	var last []string
	conn.Queue(selectKeys, nil, collect(&last))
	require.NoError(t, conn.Commit(1))
	require.Equal(t, []string{"deux"}, last, "the rows of what is sent with the commit are passed on")
	require.Equal(t, []string{"deux"}, read(t, db, selectKeys))
	conn.Rollback()
	require.Error(t, conn.Commit(1), "it has ended")

	conn = begin(t, db)
	conn.Insert(keys, [][]any{{"w", "3", "three"}})
	require.NoError(t, conn.Send())
	conn.Rollback()
	conn.Rollback()
	require.Equal(t, []string{"deux"}, read(t, db, selectKeys))
	require.NoError(t, begin(t, db).Commit(1), "of nothing")
}

func TestReadTransactionSeesOneState(t *testing.T) {
	t.Parallel()
	db := open(t)
	require.NoError(t, put(t.Context(), db, "1", "one"))
	conn, err := db.BeginRead(t.Context())
	require.NoError(t, err)
	defer conn.Rollback()
	var before, after []string
	conn.Queue(selectKeys, nil, collect(&before))
	require.NoError(t, conn.Send())
	require.NoError(t, put(t.Context(), db, "1", "changed"))
	conn.Queue(selectKeys, nil, collect(&after))
	require.NoError(t, conn.Commit(1))
	require.Equal(t, []string{"one"}, before)
	require.Equal(t, before, after)

	conn, err = db.BeginRead(t.Context())
	require.NoError(t, err)
	defer conn.Rollback()
	conn.Insert(keys, [][]any{{"w", "2", "two"}})
	require.ErrorContains(t, conn.Send(), "read-only")
}

// A statement of a transaction that may write sees what was committed before the statement, which matters after it has
// waited for a lock.
func TestLockedRowIsTheLatest(t *testing.T) {
	t.Parallel()
	db := open(t)
	lock := "SELECT document FROM idempotency_keys WHERE world = 'w' AND id = '1'" + db.Dialect().Lock
	require.NoError(t, put(t.Context(), db, "1", "one"))
	first := begin(t, db)
	first.Queue(lock, nil, nil)
	require.NoError(t, first.Send())

	second := begin(t, db)
	var seen []string
	second.Queue(lock, nil, collect(&seen))
	second.Queue(selectKeys, nil, collect(&seen))
	done := make(chan error)
	go func() { done <- second.Send() }()
	require.Eventually(t, func() bool {
		return read(t, db, "SELECT count(*)::text FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'")[0] != "0"
	}, time.Minute, time.Millisecond)
	first.Insert(keys, [][]any{{"w", "1", "two"}})
	require.NoError(t, first.Commit(1))
	require.NoError(t, <-done)
	require.Equal(t, []string{"two", "two"}, seen)
}

func TestFirstErrorEndsTheTransaction(t *testing.T) {
	t.Parallel()
	db := open(t)
	conn := begin(t, db)
	conn.Insert(keys, [][]any{{"w", "1", "one"}})
	conn.Queue("SELECT nonsense", nil, nil)
	conn.Queue("SELECT 1", nil, func(func(...any) error) error { return errors.New("not reached") })
	err := conn.Send()
	require.ErrorContains(t, err, "nonsense")
	require.False(t, db.Retriable(err))
	conn.Queue("SELECT 1", nil, nil)
	require.Equal(t, err, conn.Send())
	require.Equal(t, err, conn.Commit(1))
	require.NotErrorIs(t, err, sql.ErrOutcomeUnknown)
	require.Empty(t, read(t, db, selectKeys))

	conn = begin(t, db)
	conn.Insert(keys, [][]any{{"w", "1", "one"}})
	conn.Queue("SELECT nonsense", nil, nil)
	err = conn.Commit(1)
	require.ErrorContains(t, err, "nonsense")
	require.NotErrorIs(t, err, sql.ErrOutcomeUnknown)
	require.Empty(t, read(t, db, selectKeys))
}

func TestErrorOfTakingARowDoesNotFailTheTransaction(t *testing.T) {
	t.Parallel()
	db := open(t)
	refused := errors.New("refused")
	conn := begin(t, db)
	calls := 0
	conn.Queue("SELECT * FROM unnest('{a,b}'::text[])", nil, func(func(...any) error) error { calls++; return refused })
	require.ErrorIs(t, conn.Send(), refused)
	require.Equal(t, 1, calls)
	conn.Insert(keys, [][]any{{"w", "1", "one"}})
	require.NoError(t, conn.Commit(1))
	require.Equal(t, []string{"one"}, read(t, db, selectKeys))
}

func TestValues(t *testing.T) {
	t.Parallel()
	db := open(t)
	events := &sql.Insertion{Table: "events", Columns: []sql.Column{
		{Name: "world"}, {Name: "seq", Integer: true}, {Name: "type"}, {Name: "subject"}, {Name: "document"},
	}}
	texts := []string{"", "plain", `"quoted" \ {a,b}`, "NULL", "zero\x00zero", "\x00", "\x01", "\x0100", "\xff\xfe", "a\xc3", "ü€😀", "\uFFFD"}
	conn := begin(t, db)
	var rows [][]any
	for i, text := range texts {
		rows = append(rows, []any{"w", int64(i) - 1<<40, "t", text, "{}"})
	}
	rows = append(rows, []any{"w", int64(1), "t", nil, "{}"})
	conn.Insert(events, rows)
	require.NoError(t, conn.Commit(1))

	for i, text := range texts {
		found := 0
		require.NoError(t, db.Query(t.Context(), "SELECT seq, subject, subject, subject FROM events WHERE world = $1 AND subject = $2 AND seq <= $3",
			[]any{[]byte("w"), text, int64(0)}, func(scan func(...any) error) error {
				var seq int64
				var asText string
				var asBytes []byte
				var asPointer *string
				err := scan(&seq, &asText, &asBytes, &asPointer)
				require.Equal(t, int64(i)-1<<40, seq)
				require.Equal(t, text, asText)
				require.Equal(t, text, string(asBytes))
				require.Equal(t, text, *asPointer)
				found++
				return err
			}))
		require.Equal(t, 1, found, "%q", text)
	}
	in := fmt.Sprintf("SELECT (SELECT min(subject) FROM events WHERE world = 'w' AND subject = wanted.value) FROM "+db.Dialect().Rows, "$1")
	require.Equal(t, texts, read(t, db, in, db.Dialect().List(texts)))
	require.Empty(t, read(t, db, in, db.Dialect().List(nil)))
	require.NoError(t, db.Query(t.Context(), "SELECT subject FROM events WHERE seq = 1 AND $1::text IS NULL", []any{nil}, func(scan func(...any) error) error {
		text := new(string)
		require.NoError(t, scan(&text))
		require.Nil(t, text)
		var value string
		require.Error(t, scan(&value))
		return nil
	}))
	require.Error(t, db.Query(t.Context(), "SELECT $1", []any{1.5}, nil))
}

// However a statement is used, a transaction sends it in one round trip, and a connection prepares it once.
func TestStatementsArePrepared(t *testing.T) {
	t.Parallel()
	databaseURL, schema := pgtest.New(t)
	for _, c := range []struct {
		mode     string
		prepared bool
	}{{"cache_statement", true}, {"exec", false}} {
		db := openConfig(t, postgres.Config{URL: databaseURL + "&default_query_exec_mode=" + c.mode, Schema: schema, Connections: 1})
		for range 3 {
			conn := begin(t, db)
			for range 2 {
				conn.Queue("SELECT 42", nil, nil)
			}
			require.NoError(t, conn.Commit(1))
		}
		prepared := read(t, db, "SELECT statement FROM pg_prepared_statements WHERE statement = 'SELECT 42'")
		require.Equal(t, c.prepared, len(prepared) == 1, "%s: %v", c.mode, prepared)
	}
}

// Behind an old PgBouncer a prepared statement is not there when it is used. The next transactions do without.
func TestLostPreparedStatements(t *testing.T) {
	t.Parallel()
	databaseURL, schema := pgtest.New(t)
	db := openConfig(t, postgres.Config{URL: databaseURL, Schema: schema, Connections: 1})
	require.NoError(t, put(t.Context(), db, "1", "one"))
	require.NoError(t, db.Query(t.Context(), "DEALLOCATE ALL", nil, nil))
	err := put(t.Context(), db, "1", "two")
	require.ErrorContains(t, err, "26000")
	require.True(t, db.Retriable(err))
	require.NotErrorIs(t, err, sql.ErrOutcomeUnknown)
	require.NoError(t, put(t.Context(), db, "1", "three"))
	require.Equal(t, []string{"1"}, read(t, db, "SELECT 1 FROM pg_prepared_statements UNION SELECT 1"))
	require.Equal(t, []string{"three"}, read(t, db, selectKeys))
}

func TestManyConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	databaseURL, schema := pgtest.New(t)
	db := openConfig(t, postgres.Config{URL: databaseURL, Schema: schema, Connections: 3})
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			if err := put(t.Context(), db, fmt.Sprint(i), strings.Repeat("x", 100_000)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Len(t, read(t, db, selectKeys), 40)
	held := []sql.Conn{begin(t, db), begin(t, db), begin(t, db)}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := db.Begin(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	for _, conn := range held {
		conn.Rollback()
	}
}

// The search path is that of the schema, whatever its name.
func TestSchemaWithAnyName(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	for _, name := range []string{"", `odd "name'; $1`, "Payctl"} {
		db := openConfig(t, postgres.Config{URL: s.URL(), Schema: name})
		require.NoError(t, put(t.Context(), db, "1", name))
		require.Equal(t, []string{name}, read(t, db, selectKeys))
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	db := open(t)
	before := time.Now()
	now := db.Now()
	require.WithinDuration(t, before, now, 30*time.Second, "both clocks are this machine's")
	for range 1000 {
		next := db.Now()
		require.False(t, next.Before(now))
		now = next
	}
}

// Servers whose addresses differ in the encoding read the same texts.
func TestClientEncoding(t *testing.T) {
	t.Parallel()
	databaseURL, schema := pgtest.New(t)
	config := postgres.Config{URL: databaseURL, Schema: schema, Connections: 1}
	latin := config
	latin.URL += "&client_encoding=LATIN1"
	const name = "Zoë ☃"
	writes := sql.New(openConfig(t, latin))
	require.NoError(t, writes.Update(t.Context(), "w", func(tx store.Tx) error {
		return tx.Worlds().Put(&store.World{Instance: name})
	}))
	for _, reads := range []postgres.Config{config, latin} {
		require.NoError(t, sql.New(openConfig(t, reads)).View(t.Context(), "w", func(tx store.Tx) error {
			world, err := tx.Worlds().Get(store.WorldID)
			require.NoError(t, err)
			require.Equal(t, name, world.Instance)
			return nil
		}))
	}
}
