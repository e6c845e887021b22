package sql_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
	storesql "github.com/payctl/payctl/internal/store/sql"
	"github.com/payctl/payctl/internal/store/sql/postgres"
	"github.com/payctl/payctl/internal/test/pgtest"
)

// errFlaky is a failure of a flaky database that is gone on the next connection.
var errFlaky = errors.New("the connection broke")

// A flaky database fails where its fields say, once for each.
type flaky struct {
	storesql.Database
	begin    int  // calls of Begin that fail
	send     int  // of the transactions that fail at their first Send
	commit   int  // of the commits that fail before they reach the database
	response int  // of the commits whose response is lost
	lost     bool // a commit that fails may have been committed as far as can be known
	before   func()
}

// newFlaky opens a store in a schema of PostgreSQL that fails where the test says, and closes it when the test ends.
func newFlaky(t testing.TB, url, schema string) (*flaky, *storesql.Store) {
	db, err := postgres.Open(t.Context(), postgres.Config{URL: url, Schema: schema})
	require.NoError(t, err)
	f := &flaky{Database: db}
	s := storesql.New(f)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return f, s
}

func (f *flaky) Begin(ctx context.Context) (storesql.Conn, error) {
	if f.begin > 0 {
		f.begin--
		return nil, errFlaky
	}
	conn, err := f.Database.Begin(ctx)
	return &flakyConn{Conn: conn, database: f}, err
}

func (f *flaky) Retriable(err error) bool {
	return errors.Is(err, errFlaky) || f.Database.Retriable(err)
}

type flakyConn struct {
	storesql.Conn
	database *flaky
}

func (c *flakyConn) Send() error {
	if c.database.send > 0 {
		c.database.send--
		return errFlaky
	}
	return c.Conn.Send()
}

func (c *flakyConn) Commit(updates int) error {
	f := c.database
	err := errFlaky
	if f.lost {
		err = errors.Join(errFlaky, storesql.ErrOutcomeUnknown)
	}
	switch {
	case f.commit > 0:
		f.commit--
		c.Rollback()
		if f.before != nil {
			f.before()
		}
		return err
	case f.response > 0:
		f.response--
		if err := c.Conn.Commit(updates); err != nil {
			return err
		}
		if f.before != nil {
			f.before()
		}
		return errors.Join(errFlaky, storesql.ErrOutcomeUnknown)
	}
	return c.Conn.Commit(updates)
}

// A failure that is gone on the next connection is not seen by callers, and whatever happens, an update is there once or
// not at all, as its result says.
func TestUpdatesSurviveBrokenConnections(t *testing.T) {
	t.Parallel()
	url, schema := pgtest.New(t)
	f, s := newFlaky(t, url, schema)
	_, otherStore := newFlaky(t, url, schema)
	meanwhile := func() { // another process writes while this one connects again
		assert.NoError(t, otherStore.Update(t.Context(), world, func(tx store.Tx) error {
			_, err := tx.Events().Append(&store.Event{SubjectID: "other"})
			return err
		}))
	}
	for name, c := range map[string]struct {
		failures flaky
		fails    bool
	}{
		"no connection at first":                     {flaky{begin: 1}, false},
		"no connection":                              {flaky{begin: 2}, true},
		"lost while locking":                         {flaky{send: 1}, false},
		"lost while locking again":                   {flaky{send: 2}, true},
		"lost before the commit":                     {flaky{commit: 1}, false},
		"lost before both commits":                   {flaky{commit: 2}, true},
		"lost, and not known":                        {flaky{commit: 1, lost: true}, false},
		"the response is lost":                       {flaky{response: 1}, false},
		"the response is lost, others write":         {flaky{response: 1, before: meanwhile}, false},
		"lost before the commit, and others write":   {flaky{commit: 1, before: meanwhile}, true},
		"lost, not known, and others write":          {flaky{commit: 1, lost: true, before: meanwhile}, true},
		"the response of the second attempt is lost": {flaky{commit: 1, response: 1}, true},
	} {
		// One after the other: they share the store, as requests do.
		t.Run(name, func(t *testing.T) {
			database := f.Database
			*f = c.failures
			f.Database = database
			err := s.Update(t.Context(), world, func(tx store.Tx) error {
				_, err := tx.Events().Append(&store.Event{SubjectID: name})
				return errors.Join(err, put(name)(tx))
			})
			*f = flaky{Database: database}
			if c.fails {
				requireUnavailable(t, err)
			} else {
				require.NoError(t, err)
			}
			for _, from := range []*storesql.Store{s, otherStore} {
				if name != "the response of the second attempt is lost" { // the client learns of it by its key
					require.Equal(t, !c.fails, has(t, from, name))
				}
				require.NoError(t, from.View(t.Context(), world, func(tx store.Tx) error {
					events, err := tx.Events().After(store.EventQuery{Limit: 1000})
					require.NoError(t, err)
					found := 0
					for i, event := range events {
						require.EqualValues(t, i+1, event.Seq)
						if event.SubjectID == name {
							found++
						}
					}
					require.Equal(t, has(t, from, name), found == 1)
					return nil
				}))
			}
		})
	}
}

func requireUnavailable(t testing.TB, err error) {
	t.Helper()
	require.ErrorIs(t, err, store.ErrUnavailable)
}

// A large update writes into the tables before its end. If the connection breaks then, it fails as a whole, and with it
// the updates of its group.
func TestLargeUpdatesOfABrokenConnection(t *testing.T) {
	t.Parallel()
	url, schema := pgtest.New(t)
	f, s := newFlaky(t, url, schema)
	f.commit = 1
	requireUnavailable(t, s.Update(t.Context(), world, func(tx store.Tx) error {
		if err := put("one")(tx); err != nil {
			return err
		}
		_, err := tx.Keys().List(store.Query{Limit: 10}) // which writes what is buffered
		return err
	}))
	require.False(t, has(t, s, "one"))
	require.NoError(t, s.Update(t.Context(), world, put("one")))
	require.True(t, has(t, s, "one"))
}

// A store tells those who wait that another process has changed a world, also if that happened before they asked.
func TestWatch(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, database func(t testing.TB) opener) {
		open := database(t)
		one, two := open(t), open(t)
		defer func() { require.NoError(t, errors.Join(one.Close(), two.Close())) }()
		require.NoError(t, one.Update(t.Context(), world, put("before")))
		first, stopFirst := one.Watch(world)
		second, stopSecond := one.Watch(world)
		quiet, stopQuiet := one.Watch("another client")
		defer stopQuiet()
		learns := func(changed <-chan struct{}) {
			t.Helper()
			select {
			case <-changed:
			case <-time.After(20 * time.Second):
				t.Fatal("the change was not reported")
			}
		}
		learns(first)
		learns(second)
		learns(quiet) // it may have changed before
		require.NoError(t, two.Update(t.Context(), world, put("k")))
		learns(first)
		stopFirst()
		learns(second)
		require.NoError(t, two.Update(t.Context(), world, put("l")))
		learns(second)
		stopSecond()
		require.Zero(t, len(quiet))
	})
}

// If the database is replaced by an earlier state of itself while servers use it, no reader sees what it does not have.
func TestDatabaseThatGoesBack(t *testing.T) {
	t.Parallel()
	url, schema := pgtest.New(t)
	_, s := newFlaky(t, url, schema)
	require.NoError(t, s.Update(t.Context(), world, put("before")))
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	exec := func(statement string) {
		_, err := conn.Exec(t.Context(), strings.ReplaceAll(statement, "SCHEMA", schema))
		require.NoError(t, err)
	}
	exec("CREATE TABLE SCHEMA.saved AS SELECT * FROM SCHEMA.heads")
	require.NoError(t, s.Update(t.Context(), world, put("after")))
	require.True(t, has(t, s, "after"))
	exec("BEGIN; DELETE FROM SCHEMA.heads; INSERT INTO SCHEMA.heads SELECT * FROM SCHEMA.saved; " +
		"DELETE FROM SCHEMA.idempotency_keys WHERE id = 'after'; COMMIT")
	require.False(t, has(t, s, "after"))
	require.True(t, has(t, s, "before"))
	require.NoError(t, s.Update(t.Context(), world, put("later")))
	require.True(t, has(t, s, "later"))

	// Another server has made as many commits since then as this one knows.
	_, otherStore := newFlaky(t, url, schema)
	for _, next := range []func(key string) bool{
		func(key string) bool { return has(t, s, key) },
		func(key string) (found bool) {
			require.NoError(t, s.Update(t.Context(), world, func(tx store.Tx) error {
				_, err := tx.Keys().Get(key)
				found = err == nil
				return nil
			}))
			return found
		},
	} {
		require.False(t, has(t, s, "of the other"))
		exec("BEGIN; DELETE FROM SCHEMA.heads; INSERT INTO SCHEMA.heads SELECT * FROM SCHEMA.saved; " +
			"DELETE FROM SCHEMA.idempotency_keys WHERE id = 'later'; COMMIT")
		require.NoError(t, otherStore.Update(t.Context(), world, put("of the other")))
		require.True(t, next("of the other"))
		require.False(t, next("later"))
		exec("BEGIN; DELETE FROM SCHEMA.heads; INSERT INTO SCHEMA.heads SELECT * FROM SCHEMA.saved; " +
			"DELETE FROM SCHEMA.idempotency_keys WHERE id = 'of the other'; COMMIT")
		require.NoError(t, s.Update(t.Context(), world, put("later")))
		require.True(t, has(t, s, "later"))
	}
}

// If the response to the last commit of a Replace is lost, and finding out what became of it fails too, the world keeps the
// contents that it shows.
func TestReplaceWithAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	url, schema := pgtest.New(t)
	f, s := newFlaky(t, url, schema)
	require.NoError(t, s.Update(t.Context(), world, put("before")))
	requireUnavailable(t, s.Replace(t.Context(), world, accountParts(3), func(store.Tx) error {
		f.response, f.before = 1, func() { f.begin = 1 }
		return nil
	}))
	// The sweeper deletes what is marked as unused: wait until nothing is.
	require.Eventually(t, func() bool {
		unused := 0
		err := f.Query(t.Context(), "SELECT 1 FROM unused_contents", nil, func(func(...any) error) error {
			unused++
			return nil
		})
		return err == nil && unused == 0
	}, 20*time.Second, 10*time.Millisecond)
	require.False(t, has(t, s, "before"), "the commit has happened")
	require.NoError(t, s.View(t.Context(), world, func(tx store.Tx) error {
		accounts, err := tx.Accounts().List(store.Query{Limit: 1000})
		require.Len(t, accounts, 150)
		return err
	}))
}
