// Package postgres keeps worlds in a schema of a PostgreSQL database, which several servers may share. A transaction of
// the store is a transaction of the database. An update locks the row of its world.
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
	// URL is in one of libpq's forms: a URL, or words such as host=…. Missing settings come from libpq's environment
	// variables, such as PGHOST and PGSERVICE, and from the password file. Its search_path is the schema of the tables,
	// which Open creates.
	URL string
	// Waiting, if not nil, is called once if Open waits until the database accepts connections.
	Waiting func(error) `json:"-"`
}

// defaultSchema is the schema if the address names none.
const defaultSchema = "payctl"

const (
	// maxConnections is the limit unless the URL has pool_max_conns. With this limit, twelve servers stay below the 100
	// connections that PostgreSQL allows by default.
	maxConnections = 8
	// connectTimeout bounds a connection attempt to each host, unless the URL has connect_timeout.
	connectTimeout = 5 * time.Second
	// transactionTimeout bounds a transaction. The longest one restores a snapshot.
	transactionTimeout = 30 * time.Second
	// startTimeout is how long Open waits for a database that does not accept connections yet.
	startTimeout = 30 * time.Second
	startPoll    = 200 * time.Millisecond
)

// sessionSettings are set for each session, unless the address has them. They override those of the server, the
// database and the role. They end a transaction, and its lock, if its server was stopped or cut off.
var sessionSettings = map[string]string{
	"application_name":                    "payctl",
	"idle_in_transaction_session_timeout": "10s",
	"statement_timeout":                   "30s",
	"lock_timeout":                        "15s",
	// PostgreSQL keeps using a plan that it made while the table was empty.
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

// connect makes the pool. It does not connect yet.
func connect(ctx context.Context, config Config) (*Store, error) {
	if err := checkAddress(config.URL); err != nil {
		return nil, err
	}
	settings, err := pgxpool.ParseConfig(config.URL)
	if err != nil {
		return nil, addressError(config.URL, err)
	}
	if !strings.Contains(config.URL, "pool_max_conns") {
		settings.MaxConns = maxConnections
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

// await returns when the database accepts connections. It waits only while the database refuses them or is starting,
// since containers are often started together. Any other failure is its error.
func (s *Store) await(ctx context.Context, waiting func(error)) error {
	deadline := time.Now().Add(startTimeout)
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
	// A user who may not create schemas may not run CREATE SCHEMA IF NOT EXISTS, even if the schema exists.
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
	for _, collection := range store.Collections {
		for _, column := range collection.Columns { // several collections may share a column
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

// outage returns the error of a failure of the database. A value that the database refuses does not count as one.
func (s *Store) outage(err error) error {
	if strings.HasPrefix(CodeOf(err), classData) {
		return s.fail(err)
	}
	return store.Unavailable(s.fail(err))
}

// closeTimeout is how long Close waits for transactions.
const closeTimeout = time.Second

// Close implements store.Store. The server ends the transactions of closed connections.
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

func quoteName(name string) string { return pgx.Identifier{name}.Sanitize() }
