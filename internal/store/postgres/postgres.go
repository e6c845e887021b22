// Package postgres keeps worlds in a schema of a PostgreSQL database, which any number of servers may use. A transaction
// of the store is one of the database, and an update locks the row of its world.
package postgres

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/payctl/payctl/internal/store"
)

// A Config names a database.
type Config struct {
	// URL is in one of libpq's forms, as a URL or with words such as host=…. What it does not have is in libpq's
	// environment variables, such as PGHOST and PGSERVICE, and in the password file. Its search_path is the schema that
	// has the tables, which Open creates.
	URL string
	// Waiting is called once if Open waits because the database does not accept connections yet; nil: nobody is told.
	Waiting func(error) `json:"-"`
}

// defaultSchema is the schema if the address names none.
const defaultSchema = "payctl"

const (
	// connections are the most at once, unless the URL has pool_max_conns. Twelve servers with as many stay below the 100
	// that PostgreSQL allows by default.
	connections = 8
	// connectTimeout bounds a connection attempt to each host, unless the URL has connect_timeout.
	connectTimeout = 5 * time.Second
	// transactionTimeout bounds a transaction: the longest restores a snapshot.
	transactionTimeout = 30 * time.Second
	// startPatience is how long Open waits for a database that does not accept connections yet.
	startPatience = 30 * time.Second
	startPoll     = 200 * time.Millisecond
)

// sessionSettings are set for each session, over those of the server, the database and the role, but not over those of
// the address. They end a transaction, and its lock, whose server was stopped or cut off in the middle of it.
var sessionSettings = map[string]string{
	"application_name":                    "payctl",
	"idle_in_transaction_session_timeout": "10s",
	"statement_timeout":                   "30s",
	"lock_timeout":                        "15s",
	// Plans that are made while the table is empty are used for long.
	"enable_seqscan":    "off",
	"enable_bitmapscan": "off",
}

// A Store is the worlds in a schema.
type Store struct {
	pool    *pgxpool.Pool
	where   string // the server, the database and the user
	schema  string
	named   map[string]bool // the settings that errors may name
	changes watch

	requests requestLog
}

var _ store.Store = (*Store)(nil)

// Open connects to a database, and creates the tables if there are none. The error is an *Error.
func Open(ctx context.Context, config Config) (*Store, error) {
	s, err := connect(ctx, config)
	if err != nil {
		return nil, err
	}
	if err := s.await(ctx, config.Waiting); err != nil {
		s.pool.Close()
		return nil, s.fail(err)
	}
	if err := s.prepare(ctx); err != nil {
		s.pool.Close()
		return nil, s.fail(err)
	}
	return s, nil
}

// connect makes the pool of connections, but no connection.
func connect(ctx context.Context, config Config) (*Store, error) {
	if err := checkAddress(config.URL); err != nil {
		return nil, err
	}
	settings, err := pgxpool.ParseConfig(config.URL)
	if err != nil {
		return nil, addressError(config.URL, err)
	}
	if !strings.Contains(config.URL, "pool_max_conns") {
		settings.MaxConns = connections
	}
	conn := settings.ConnConfig
	guardPassword(conn, config.URL)
	if conn.ConnectTimeout == 0 {
		conn.ConnectTimeout = connectTimeout
	}
	for name, value := range sessionSettings {
		if conn.RuntimeParams[name] == "" {
			conn.RuntimeParams[name] = value
		}
	}
	delete(conn.RuntimeParams, "client_encoding") // texts are sent as UTF-8
	s := &Store{
		where: where(conn), schema: cmp.Or(conn.RuntimeParams["search_path"], defaultSchema), named: settingNames(config.URL),
	}
	conn.RuntimeParams["search_path"] = quoteName(s.schema)
	s.requests.added = map[string]int{}
	if s.pool, err = pgxpool.NewWithConfig(ctx, settings); err != nil {
		return nil, s.fail(err)
	}
	return s, nil
}

// await returns when the database accepts connections. It waits for one that refuses them or is starting, as containers
// and services are often started together, and for no other failure.
func (s *Store) await(ctx context.Context, waiting func(error)) error {
	deadline := time.Now().Add(startPatience)
	for {
		err := s.pool.Ping(ctx)
		if err == nil || !isStarting(err) || time.Now().After(deadline) {
			return err
		}
		if waiting != nil {
			waiting(s.fail(err))
			waiting = nil
		}
		select {
		case <-time.After(startPoll):
		case <-ctx.Done():
			return err
		}
	}
}

// prepare creates the schema and its tables where they are missing.
func (s *Store) prepare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, transactionTimeout)
	defer cancel()
	var encoding string
	var readOnly, exist bool
	if err := s.pool.QueryRow(ctx, readServer).Scan(&encoding, &readOnly); err != nil {
		return err
	}
	switch {
	case readOnly:
		return ErrReadOnly
	case encoding != "UTF8":
		return fmt.Errorf("%w %s; create another one with ENCODING 'UTF8' TEMPLATE template0", ErrEncoding, encoding)
	}
	if err := s.pool.QueryRow(ctx, tablesExist).Scan(&exist); err != nil {
		return err
	}
	if !exist {
		if err := s.create(ctx); err != nil {
			return err
		}
	}
	var version int
	if err := s.pool.QueryRow(ctx, readVersion).Scan(&version); err != nil {
		return err
	}
	if version > schemaVersion {
		return ErrNewer
	}
	return nil
}

func (s *Store) create(ctx context.Context) error {
	// Who may not create a schema may not run CREATE SCHEMA IF NOT EXISTS either, also where it exists.
	var found, usable bool
	if err := s.pool.QueryRow(ctx, schemaExists, s.schema).Scan(&found, &usable); err != nil {
		return err
	}
	if found && !usable {
		return fmt.Errorf("%w %s", ErrForbidden, s.schema)
	}
	statements := "BEGIN; " + createTables
	if !found {
		statements = "BEGIN; SELECT pg_advisory_xact_lock(hashtext('payctl')); CREATE SCHEMA IF NOT EXISTS " +
			quoteName(s.schema) + ";" + createTables
	}
	statements += createDueIndex
	for _, kind := range store.Kinds {
		for _, column := range kind.Columns { // some are of several kinds
			statements += fmt.Sprintf(createIndex, column)
		}
	}
	return s.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		_, err := conn.Conn().PgConn().Exec(ctx, statements+"COMMIT").ReadAll()
		if err != nil {
			_, _ = conn.Conn().PgConn().Exec(ctx, rollBack).ReadAll() // the first error says why
		}
		return err
	})
}

// Update implements store.Store.
func (s *Store) Update(ctx context.Context, world string, fn func(store.Tx) error) error {
	tx, cancel, err := s.begin(ctx, world, true)
	if err != nil {
		return err
	}
	defer cancel()
	defer tx.rollBack() // also when fn panics
	if err := fn(store.Tx{Documents: tx}); err != nil {
		return cmp.Or(tx.failure, err)
	}
	if err := tx.commit(); err != nil {
		return s.outage(err)
	}
	return nil
}

// View implements store.Store.
func (s *Store) View(ctx context.Context, world string, fn func(store.Tx) error) error {
	tx, cancel, err := s.begin(ctx, world, false)
	if err != nil {
		return err
	}
	defer cancel()
	defer tx.rollBack()
	if err := fn(store.Tx{Documents: tx}); err != nil {
		return cmp.Or(tx.failure, err)
	}
	return nil
}

// HasRoom implements store.Store.
func (s *Store) HasRoom(ctx context.Context, world string, most int) (has bool, err error) {
	if err := s.pool.QueryRow(ctx, hasRoom, world, most).Scan(&has); err != nil {
		return false, s.unavailable(ctx, err)
	}
	return has, nil
}

// Ready implements store.Store.
func (s *Store) Ready(ctx context.Context) error {
	readOnly := false
	err := s.pool.QueryRow(ctx, readServer).Scan(nil, &readOnly)
	if err == nil && readOnly {
		err = ErrReadOnly
	}
	if err != nil {
		return s.unavailable(ctx, err)
	}
	return nil
}

// unavailable returns the error of a failure of the database, or the context's.
func (s *Store) unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.outage(err)
}

// outage returns the error of a failure of the database. A value that it does not take is no outage.
func (s *Store) outage(err error) error {
	if strings.HasPrefix(CodeOf(err), classData) {
		return s.fail(err)
	}
	return store.Unavailable(s.fail(err))
}

// closeTimeout is how long Close waits for transactions that run.
const closeTimeout = time.Second

// Close implements store.Store. The server ends the transactions of closed connections by itself.
func (s *Store) Close() error {
	s.changes.mu.Lock()
	s.changes.end()
	s.changes.mu.Unlock()
	closed := make(chan struct{})
	go func() {
		s.pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(closeTimeout):
	}
	return nil
}

// String describes the server, the database, the user and the schema.
func (s *Store) String() string { return s.where + ", schema " + s.schema }

// quoteName quotes an identifier.
func quoteName(name string) string { return pgx.Identifier{name}.Sanitize() }
