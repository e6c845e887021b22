// Package postgres keeps the worlds in a schema of PostgreSQL: connections, migrations, and what its failures mean.
//
// It works behind PgBouncer with transaction pooling: nothing that it needs outlives a transaction but prepared
// statements, and without max_prepared_statements it does without these. It was not run on CockroachDB and YugabyteDB,
// but keeps to what they have, too; comments name the exceptions.
package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/sql"
)

// A Config names a database.
type Config struct {
	// URL is in one of libpq's forms, as a URL or with words such as host=…. What it does not have is in libpq's
	// environment variables, such as PGHOST and PGSERVICE, and in the password file.
	URL string
	// Schema has the tables; empty: DefaultSchema. Open creates it.
	Schema string
	// Connections are the most connections at once; zero: DefaultConnections.
	Connections int
	// NoMigrate has Open return ErrOlderSchema for a schema that lacks migrations, instead of applying them.
	NoMigrate bool
}

// Defaults of Config.
const (
	DefaultSchema = "payctl"
	// DefaultConnections is enough for as many commits at once as a disk and two cores can do, since updates of a world
	// share a commit. Twelve processes with as many stay below the 100 connections that PostgreSQL allows by default.
	DefaultConnections = 8
)

const (
	// connectTimeout bounds a connection attempt to each host, unless the URL has connect_timeout.
	connectTimeout = 5 * time.Second
	// sendTimeout bounds a round trip whose context does not: the longest statements delete the rows of a world in parts.
	sendTimeout = 30 * time.Second
	// pingTimeout is how long an idle connection may take to respond before it counts as broken.
	pingTimeout = 2 * time.Second
	// idleTimeout ends a transaction, and its locks, whose process was stopped or cut off from the network in the middle
	// of it. A process that works takes milliseconds between two round trips.
	idleTimeout = 10 * time.Second
	// closeTimeout is how long a rollback may take, and Close: neither depends on the response of the server, which ends
	// the transactions of closed connections by itself.
	closeTimeout = time.Second
	// connLifetime is how long a connection is used: later ones spread over servers that were added.
	connLifetime = 30 * time.Minute
)

// A DB is a schema of a PostgreSQL database. It implements sql.Database.
type DB struct {
	pool   *pgxpool.Pool
	where  string
	schema string
	// settings is the statement of queueSettings.
	settings   string
	insertions sync.Map // from each *sql.Insertion to its statement
	clock      clock
	// identity is the UUID of the database; nil until Open has read it.
	identity atomic.Pointer[string]
	// restored is true if Open has found a schema that was restored from a backup.
	restored bool
	// epoch counts the times that a broken connection had all idle ones closed.
	epoch atomic.Int64
	// unprepared is true if statements must not be prepared.
	unprepared atomic.Bool
}

var _ sql.Database = (*DB)(nil)

// Open connects to a database and applies the migrations that are missing. Errors do not contain the password.
func Open(ctx context.Context, config Config) (*DB, error) {
	db, err := connect(ctx, config, true)
	if err != nil {
		return nil, err
	}
	if err := db.migrate(ctx, config.NoMigrate); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// connect makes a pool of connections, to servers that can be written to if writable is set. It makes the first
// connection.
func connect(ctx context.Context, config Config, writable bool) (*DB, error) {
	if err := checkAddress(config.URL); err != nil {
		return nil, err
	}
	settings, err := pgxpool.ParseConfig(config.URL)
	if err != nil {
		return nil, configError(config.URL, err)
	}
	db := &DB{schema: cmp.Or(config.Schema, DefaultSchema), where: where(settings.ConnConfig)}
	db.settings = fmt.Sprintf("SELECT set_config('search_path', %s, true), set_config('enable_seqscan', 'off', true), "+
		"set_config('idle_in_transaction_session_timeout', '%d', true)",
		quoteText(quoteName(db.schema)), idleTimeout.Milliseconds())
	settings.MaxConns = int32(cmp.Or(config.Connections, DefaultConnections))
	settings.MaxConnLifetime, settings.MaxConnLifetimeJitter = connLifetime, connLifetime/10
	settings.PingTimeout = pingTimeout
	conn := settings.ConnConfig
	if conn.ConnectTimeout == 0 {
		conn.ConnectTimeout = connectTimeout
	}
	if conn.RuntimeParams["application_name"] == "" {
		conn.RuntimeParams["application_name"] = "payctl"
	}
	delete(conn.RuntimeParams, "client_encoding") // texts are sent as UTF-8, and all servers have to read the same
	db.unprepared.Store(conn.DefaultQueryExecMode == pgx.QueryExecModeExec ||
		conn.DefaultQueryExecMode == pgx.QueryExecModeSimpleProtocol)
	conn.ValidateConnect = nil
	if writable {
		conn.ValidateConnect = db.validate
	}
	conn.Config.AfterConnect = func(_ context.Context, conn *pgconn.PgConn) error {
		conn.CustomData()[sessionKey] = &session{epoch: db.epoch.Load(), statements: map[string]*pgconn.StatementDescription{}}
		return nil
	}
	if db.pool, err = pgxpool.NewWithConfig(ctx, settings); err != nil {
		return nil, db.fail(err, false)
	}
	first, err := db.acquire(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	first.Release()
	return db, nil
}

// where describes the servers, the database and the user of a configuration.
func where(config *pgx.ConnConfig) string {
	var hosts []string
	add := func(host string, port uint16) {
		if !filepath.IsAbs(host) {
			host = net.JoinHostPort(host, strconv.Itoa(int(port)))
		}
		// A host is there twice if it is tried with and without TLS.
		if len(hosts) == 0 || hosts[len(hosts)-1] != host {
			hosts = append(hosts, host)
		}
	}
	add(config.Host, config.Port)
	for _, other := range config.Fallbacks {
		add(other.Host, other.Port)
	}
	return fmt.Sprintf("%s, database %s, user %s", strings.Join(hosts, " or "), cmp.Or(config.Database, config.User), config.User)
}

// A session is what is known of a connection.
type session struct {
	epoch      int64                                   // when it was made
	statements map[string]*pgconn.StatementDescription // those that are prepared, by their texts
}

const sessionKey = "payctl"

// ConnectionStats implements sql.PooledDatabase.
func (db *DB) ConnectionStats() store.ConnectionStats {
	pool := db.pool.Stat()
	return store.ConnectionStats{
		Max: int(pool.MaxConns()), InUse: int(pool.AcquiredConns()), Idle: int(pool.IdleConns()),
		Waits: pool.EmptyAcquireCount(), Waited: pool.EmptyAcquireWaitTime(),
	}
}

// acquire takes a connection out of the pool, or makes one. The context's end is waited for at the longest.
func (db *DB) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return nil, db.fail(fmt.Errorf("no connection: %w", err), true)
	}
	return conn, nil
}

// fail makes an Error.
func (db *DB) fail(err error, broken bool) error {
	return &Error{Where: db.where, Broken: broken, cause: err}
}

// lost has all connections closed that are as old as a broken one: they are probably broken too, and an update that is
// tried again must not get another one of them.
func (db *DB) lost(broken *session) {
	if db.epoch.CompareAndSwap(broken.epoch, broken.epoch+1) {
		db.pool.Reset()
	}
}

// validate refuses a new connection to a server that accepts no writes, so that the next of several hosts is tried, or
// to another database. It reads the clock.
func (db *DB) validate(ctx context.Context, conn *pgconn.PgConn) error {
	query := "SELECT pg_is_in_recovery(), current_setting('transaction_read_only')"
	results, err := conn.Exec(ctx, query).ReadAll()
	if err != nil {
		return err
	}
	if row := results[0].Rows[0]; string(row[0]) != "f" || string(row[1]) != "off" {
		return ErrReadOnly
	}
	for n := 0; n == 0 || n < clockReadings && !db.clock.isExact(); n++ {
		began := time.Now()
		results, err = conn.Exec(ctx, "SELECT "+clockColumn).ReadAll()
		if err != nil {
			return err
		}
		if err := db.readClock(began, results[0].Rows[0][0]); err != nil {
			return err
		}
	}
	expected := db.identity.Load()
	if expected == nil {
		return nil
	}
	results, err = conn.Exec(ctx, "SELECT uuid FROM "+quoteName(db.schema)+".identity").ReadAll()
	if code := codeOf(err); code == codeUnknownTable || code == codeUnknownSchema {
		return ErrOtherDatabase
	}
	if err != nil {
		return err
	}
	if len(results[0].Rows) != 1 || string(results[0].Rows[0][0]) != *expected {
		return ErrOtherDatabase
	}
	return nil
}

// clockColumn is the time in microseconds since 1970.
const clockColumn = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

// readClock takes over the value of clockColumn, which was read between a time and now.
func (db *DB) readClock(began time.Time, value []byte) error {
	ended := time.Now()
	microseconds, err := strconv.ParseInt(string(value), 10, 64)
	if err == nil {
		db.clock.read(began, ended, time.UnixMicro(microseconds))
	}
	return err
}

// Now returns the time by the database's clock, as far as it is known without asking for it: it was read when the
// latest connection was made, and once a minute. It does not run backwards, but for a clock that was set back.
func (db *DB) Now() time.Time { return db.clock.now() }

// String describes the servers, the database, the user and the schema.
func (db *DB) String() string { return db.where + ", schema " + db.schema }

// Dialect implements sql.Database. The subquery hides from the planner how many values a list has. Otherwise a plan for
// one value looks so much cheaper than the plan for any list that the server would plan each statement each time, which
// takes it longer than running it.
func (db *DB) Dialect() sql.Dialect {
	return sql.Dialect{
		Remote: true,
		Lock:   " FOR UPDATE",
		Rows:   "unnest((SELECT %s::text[])) AS wanted (value)",
		List:   textList,
	}
}

// Close implements sql.Database.
func (db *DB) Close() error {
	closed := make(chan struct{})
	go func() {
		db.pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(closeTimeout):
	}
	return nil
}

// quoteName quotes an identifier.
func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// quoteText quotes a text.
func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
