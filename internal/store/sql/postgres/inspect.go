package postgres

import (
	"context"
	"time"
)

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
func Inspect(ctx context.Context, config Config) (Report, error) {
	return Report{}, context.Canceled
}
