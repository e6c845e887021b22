// Package postgres keeps the worlds in a schema of PostgreSQL: connections, migrations, and what its failures mean.
package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/payctl/payctl/internal/store/sql"
)

// A Config names a database.
type Config struct {
	// URL is in one of libpq's forms, as a URL or with words such as host=…. Empty: all of it is in libpq's environment
	// variables, such as PGHOST and PGSERVICE, which fill in what the URL does not have.
	URL string
	// Schema has the tables; empty: DefaultSchema. Open creates it.
	Schema string
	// Connections are the most connections at once; zero: DefaultConnections.
	Connections int
	// NoMigrate has Open return an error for a schema that is older than the program, instead of changing it.
	NoMigrate bool
}

// Defaults of Config.
const (
	DefaultSchema      = "payctl"
	DefaultConnections = 8
)

// A DB is a schema of a PostgreSQL database. It implements sql.Database.
type DB struct {
	pool *pgxpool.Pool
}

// Open connects to a database and applies the migrations that are missing. Errors do not contain the password.
func Open(context.Context, Config) (*DB, error) { return nil, errors.ErrUnsupported }

// Now returns the time by the database's clock.
func (db *DB) Now() time.Time { return time.Now() }

// Dialect implements sql.Database.
func (db *DB) Dialect() sql.Dialect { return sql.Dialect{} }

// A Report is what Inspect has found.
type Report struct {
	Server    string // host and port, or the folder of the socket
	Database  string
	User      string
	Schema    string
	Version   string // of the server, such as 15.18
	Engine    string // PostgreSQL, CockroachDB or YugabyteDB
	Migration int    // the last migration of the schema; zero: it has none
	Wanted    int    // the last migration that the program has
	// CanMigrate is true if the user may create the schema, or its tables.
	CanMigrate bool
	// CanWrite is true if the user may read and write all tables; false also while there is none.
	CanWrite bool
	// ReadOnly is true if the server is a standby, or refuses writes.
	ReadOnly bool
	// Settings of the server that matter for keeping data: fsync, synchronous_commit, full_page_writes, server_encoding.
	// An engine that does not have a setting leaves it out.
	Settings map[string]string
	// Connections in use by all clients, and the most that the server allows; zero: the engine does not report them.
	Connections, MaxConnections int
	// Local is true for a Unix socket or a loopback address.
	Local bool
	// Encrypted is true if the connection uses TLS.
	Encrypted bool
	// ClockOffset is how far the server's clock is ahead of this machine's, and RoundTrip how exactly it is known.
	ClockOffset, RoundTrip time.Duration
	// UUID identifies the database; empty before the first migration.
	UUID string
}

// Inspect connects to a database and examines it without a change. The error is why no connection could be made or used.
func Inspect(context.Context, Config) (Report, error) { return Report{}, errors.ErrUnsupported }
