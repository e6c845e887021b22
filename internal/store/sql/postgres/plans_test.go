package postgres_test

import (
	"context"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/sql"
	"github.com/payctl/payctl/internal/store/sql/postgres"
	"github.com/payctl/payctl/internal/test/pgtest"
)

// A recorder records the statements of a store.
type recorder struct {
	*postgres.DB
	mu         sync.Mutex
	statements []string
	roundTrips int // of transactions
}

func (r *recorder) record(query string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.statements, query) {
		r.statements = append(r.statements, query)
	}
}

func (r *recorder) Begin(ctx context.Context) (sql.Conn, error) {
	conn, err := r.DB.Begin(ctx)
	return &recordingConn{Conn: conn, r: r}, err
}

func (r *recorder) BeginRead(ctx context.Context) (sql.Conn, error) {
	conn, err := r.DB.BeginRead(ctx)
	return &recordingConn{Conn: conn, r: r}, err
}

func (r *recorder) Query(ctx context.Context, query string, args []any, each func(scan func(into ...any) error) error) error {
	r.record(query)
	return r.DB.Query(ctx, query, args, each)
}

type recordingConn struct {
	sql.Conn
	r      *recorder
	queued bool
}

func (c *recordingConn) Queue(query string, args []any, each func(scan func(into ...any) error) error) {
	c.r.record(query)
	c.queued = true
	c.Conn.Queue(query, args, each)
}

func (c *recordingConn) Send() error {
	if c.queued {
		c.r.roundTrips, c.queued = c.r.roundTrips+1, false
	}
	return c.Conn.Send()
}

func (c *recordingConn) Commit(updates int) error {
	c.r.roundTrips++
	return c.Conn.Commit(updates)
}

func (c *recordingConn) Insert(into *sql.Insertion, rows [][]any) {
	c.r.record(postgres.Statement(into))
	c.Conn.Insert(into, rows)
}

// useTable uses what a table offers.
func useTable[T any, P store.Record[T]](table store.Table[T], columns []string, record func(n int) *T) error {
	lists := []map[string]string{nil}
	for i, column := range columns {
		lists = append(lists, map[string]string{column: "1"}, map[string]string{column: ""})
		for _, other := range columns[i+1:] {
			lists = append(lists, map[string]string{column: "1", other: "1"})
		}
	}
	for n := range 2 {
		if err := table.Put(record(n)); err != nil {
			return err
		}
	}
	for _, where := range lists {
		for _, before := range []string{"", "z"} {
			if _, err := table.List(store.Query{Where: where, Before: before, Limit: 3}); err != nil {
				return err
			}
		}
	}
	_, _ = table.Get("missing")
	return table.Delete(P(record(0)).RecordID())
}

// useAll uses what a transaction offers.
func useAll(tx store.Tx) error {
	now := time.Now()
	key := func(n int) *store.Key { return &store.Key{ID: fmt.Sprint(n), At: now} }
	client := func(n int) *store.Client { return &store.Client{ID: fmt.Sprint(n), At: now} }
	token := func(n int) *store.Token { return &store.Token{Hash: fmt.Sprint(n), IssuedAt: now} }
	world := func(int) *store.World { return &store.World{At: now} }
	requests := func(n int) *store.RequestBatch {
		return &store.RequestBatch{Requests: []payments.SandboxRequest{{Number: n}}, At: now}
	}
	account := func(n int) *store.Account {
		return &store.Account{Account: payments.Account{ID: fmt.Sprint(n), Email: "1", KYCStatus: "pending", ExternalID: "1"}}
	}
	contact := func(n int) *store.Contact { return &store.Contact{ID: fmt.Sprint(n), At: now} }
	transfer := func(n int) *store.Transfer {
		return &store.Transfer{Transfer: &payments.Transfer{ID: fmt.Sprint(n), AccountID: "1", Reference: "1"}, State: "1"}
	}
	for _, use := range []func() error{
		func() error { return useTable(tx.Keys(), nil, key) },
		func() error { return useTable(tx.Clients(), nil, client) },
		func() error { return useTable(tx.Tokens(), nil, token) },
		func() error { return useTable(tx.Worlds(), nil, world) },
		func() error { return useTable(tx.Requests(), nil, requests) },
		func() error { return useTable(tx.Accounts(), store.AccountColumns, account) },
		func() error { return useTable(tx.Contacts(), store.ContactColumns, contact) },
		func() error { return useTable(tx.Transfers(), store.TransferColumns, transfer) },
		func() error { _, _ = tx.TransferByReference("missing"); return nil },
		func() error { return tx.Schedule(store.Job{At: now, Subject: "1"}) },
		func() error { return tx.Schedule(store.Job{At: now, Subject: "2"}) },
		func() error { return tx.FinishJob() },
		func() error { _, err := tx.Jobs(); return err },
		func() error { _, err := tx.Events().Append(&store.Event{SubjectID: "1", At: now}); return err },
		func() error { return tx.Events().Prune(1) },
		func() error { _, err := tx.Events().After(store.EventQuery{Limit: 1}); return err },
		func() error { _, err := tx.Events().After(store.EventQuery{Limit: 1, Subject: "1"}); return err },
		func() error {
			_, err := tx.Events().After(store.EventQuery{Limit: 1, Types: []payments.EventType{"a", "b"}})
			return err
		},
	} {
		if err := use(); err != nil {
			return err
		}
	}
	return nil
}

// Statements that were prepared while all tables were empty, and that nothing has analysed since, find their rows by
// an index on all columns that they name. The server would otherwise read a whole world for each record.
func TestPlansOfStatements(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, "autovacuum=off", "fsync=off")
	r := &recorder{DB: openConfig(t, postgres.Config{URL: server.URL()})}
	s := sql.New(r)
	needs := []store.Need{{Kind: store.NeedKey, ID: "a"}, {Kind: store.NeedAccount, ID: "a"}, {Kind: store.NeedContact, ID: "a"},
		{Kind: store.NeedTransfer, ID: "a"}, {Kind: store.NeedReference, ID: "a"}}
	require.NoError(t, s.Update(t.Context(), "w", useAll, needs...))
	require.NoError(t, s.Replace(t.Context(), "w", iter.Seq[func(store.Tx) error](func(yield func(func(store.Tx) error) bool) {
		yield(func(tx store.Tx) error { return tx.Keys().Put(&store.Key{ID: "1"}) })
	}), func(store.Tx) error { return nil }))
	require.Eventually(t, func() bool { // what was replaced is deleted in the background
		return len(read(t, r.DB, "SELECT name FROM unused_contents")) == 0
	}, patience, 10*time.Millisecond)
	require.NoError(t, s.View(t.Context(), "w", func(tx store.Tx) error {
		_, err := tx.Accounts().List(store.Query{Limit: 1})
		return err
	}))
	var all strings.Builder
	for _, statement := range r.statements {
		all.WriteString(statement + "\n")
	}
	for _, expected := range []string{"SELECT version", "INSERT INTO transfers", "DELETE FROM jobs", "DELETE FROM events",
		"UPDATE heads", "FROM unnest((SELECT $2::text[])) AS wanted", "reference = $2 AND COALESCE(state, '') = $3"} {
		require.Contains(t, all.String(), expected)
	}

	conn, err := pgconn.Connect(t.Context(), server.URL())
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	execute := func(statement string) (lines []string) {
		t.Helper()
		results, err := conn.Exec(t.Context(), statement).ReadAll()
		require.NoError(t, err, statement)
		for _, row := range results[0].Rows {
			lines = append(lines, string(row[0]))
		}
		return lines
	}
	execute("TRUNCATE payctl.heads, payctl.unused_contents, payctl.worlds, payctl.clients, payctl.tokens, " +
		"payctl.idempotency_keys, payctl.requests, payctl.accounts, payctl.contacts, payctl.transfers, payctl.jobs, payctl.events")
	execute("ANALYZE") // from then on the server knows that they are empty
	for name, value := range map[string]string{
		"search_path": "payctl", "enable_seqscan": "off", // as in a transaction of the store
		"plan_cache_mode": "force_generic_plan", // as from the sixth time on
	} {
		execute("SET " + name + " = " + value)
	}
	run := func(i int) string {
		arguments := 0
		for strings.Contains(r.statements[i], fmt.Sprintf("$%d", arguments+1)) {
			arguments++
		}
		if arguments == 0 {
			return fmt.Sprintf("EXECUTE s%d", i)
		}
		return fmt.Sprintf("EXECUTE s%d(%s)", i, strings.Join(slices.Repeat([]string{"NULL"}, arguments), ", "))
	}
	r.statements = slices.DeleteFunc(r.statements, func(s string) bool { return strings.Contains(s, "SAVEPOINT") })
	for i, statement := range r.statements {
		execute(fmt.Sprintf("PREPARE s%d AS %s", i, statement))
		if !strings.HasPrefix(statement, "INSERT") {
			execute(run(i))
		}
	}
	for _, fill := range []string{
		"heads SELECT 'w' || i, 1, 'w', 0, 0, 0, '' FROM generate_series(1, 5000) i",
		"jobs SELECT 'w', i::text, i, 'k', 's', 1 FROM generate_series(1, 5000) i",
		"events SELECT 'w', i, 't', 's' || i, '{}' FROM generate_series(1, 5000) i",
		"transfers SELECT 'w', i::text, i::text, i::text, 'b', 'a', 's', '{}' FROM generate_series(1, 5000) i",
		"idempotency_keys SELECT 'w', i::text, '{}' FROM generate_series(1, 5000) i",
		"accounts SELECT 'w', i::text, i::text, i::text, 's', '{}' FROM generate_series(1, 5000) i",
		"contacts SELECT 'w', i::text, i::text, i::text, 'a', '{}' FROM generate_series(1, 5000) i",
	} {
		execute("INSERT INTO " + fill)
	}
	// Conditions on columns that a list selects by next to the one with the index, on the types of events and kinds of jobs.
	permitted := regexp.MustCompile(`Filter: \(*(COALESCE|type|kind)\b`)
	for i, statement := range r.statements {
		plan := strings.Join(execute("EXPLAIN (COSTS OFF) "+run(i)), "\n")
		if strings.Contains(statement, "unused_contents") {
			continue // it has a row for each reset that is under way
		}
		require.NotContains(t, plan, "Seq Scan", statement)
		for line := range strings.Lines(plan) {
			if strings.Contains(line, "Filter:") {
				require.Regexp(t, permitted, line, "%s\n%s", statement, plan)
			}
		}
	}
	require.NoError(t, s.Close())
}

// The server plans no statement each time that it runs, which takes longer than running it.
func TestPlansAreReused(t *testing.T) {
	t.Parallel()
	databaseURL, schema := pgtest.New(t)
	db := openConfig(t, postgres.Config{URL: databaseURL, Schema: schema, Connections: 1})
	s := sql.New(db)
	for i := range 20 { // the server decides after the fifth time
		id := fmt.Sprint(i)
		require.NoError(t, s.Update(t.Context(), "w", func(tx store.Tx) error {
			return tx.Keys().Put(&store.Key{ID: id})
		}, store.Need{Kind: store.NeedKey, ID: id}, store.Need{Kind: store.NeedAccount, ID: id},
			store.Need{Kind: store.NeedReference, ID: id}))
		require.NoError(t, s.View(t.Context(), "w", func(tx store.Tx) error {
			_, err := tx.Keys().Get(id)
			return err
		}))
	}
	require.Equal(t, []string{"0"}, read(t, db, "SELECT count(*) FROM pg_prepared_statements WHERE custom_plans > 5"))
	require.NotEqual(t, []string{"0"}, read(t, db, "SELECT count(*) FROM pg_prepared_statements WHERE generic_plans > 5"))
}
