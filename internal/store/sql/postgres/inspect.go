package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// A Report is what Inspect has found.
type Report struct {
	Server    string // address and port, or the folder of the socket
	Database  string
	User      string
	Schema    string
	Version   string // of the server, such as 15.18
	Engine    string // PostgreSQL, CockroachDB or YugabyteDB
	Migration int    // the last migration of the schema; zero: it has none
	Wanted    int    // the last migration that the program has
	// Exists is true if the schema exists, whatever is in it.
	Exists bool
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

// settingNames are those of Report.Settings.
var settingNames = []string{"fsync", "synchronous_commit", "full_page_writes", "server_encoding"}

// Inspect connects to a database and examines it without a change. The error is why no connection could be made or
// used.
func Inspect(ctx context.Context, config Config) (Report, error) {
	wanted, err := migrations()
	if err != nil {
		return Report{}, err
	}
	config.Connections = 1
	db, err := connect(ctx, config, false)
	if err != nil {
		return Report{}, err
	}
	report, err := db.inspect(ctx)
	report.Wanted = len(wanted)
	return report, errors.Join(err, db.Close())
}

func (db *DB) inspect(ctx context.Context) (report Report, err error) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	pooled, err := db.acquire(ctx)
	if err != nil {
		return report, err
	}
	defer pooled.Release()
	conn := pooled.Conn().PgConn()
	address := conn.Conn().RemoteAddr()
	_, report.Encrypted = conn.Conn().(*tls.Conn)
	report.Schema, report.Server = db.schema, address.String()
	if address.Network() == "unix" {
		report.Server, report.Local = pooled.Conn().Config().Host, true // the address is relative to the server's folder
	} else if tcp, ok := address.(*net.TCPAddr); ok {
		report.Local = tcp.IP.IsLoopback()
	}
	for _, step := range []func(context.Context, *pgconn.PgConn, *Report) error{
		db.inspectServer, db.inspectClock, db.inspectSchema,
	} {
		if err := step(ctx, conn, &report); err != nil {
			return report, db.fail(err, conn.IsClosed())
		}
	}
	return report, nil
}

func (db *DB) inspectServer(ctx context.Context, conn *pgconn.PgConn, report *Report) error {
	query := "SELECT version(), current_setting('server_version'), current_database(), current_user, " +
		"pg_is_in_recovery() OR current_setting('transaction_read_only') <> 'off', current_setting('max_connections', true)"
	for _, name := range settingNames {
		query += ", current_setting('" + name + "', true)"
	}
	row, err := oneRow(ctx, conn, query)
	if err != nil {
		return err
	}
	report.Version, report.Database, report.User, report.ReadOnly = row[1], row[2], row[3], row[4] == "t"
	report.Engine = "PostgreSQL"
	switch {
	case strings.Contains(row[0], "CockroachDB"):
		report.Engine = "CockroachDB"
	case strings.Contains(row[0], "-YB-"):
		report.Engine = "YugabyteDB"
	}
	report.MaxConnections, _ = strconv.Atoi(row[5]) // zero, if the engine does not have the setting
	report.Settings = map[string]string{}
	for i, name := range settingNames {
		if value := row[6+i]; value != "" {
			report.Settings[name] = value
		}
	}
	row, err = oneRow(ctx, conn, "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")
	if err == nil {
		report.Connections, err = strconv.Atoi(row[0])
	} else if codeOf(err) != "" {
		err = nil // CockroachDB does not have the column
	}
	return err
}

// inspectClock reads the clock some times, of which the most exact one counts.
func (db *DB) inspectClock(ctx context.Context, conn *pgconn.PgConn, report *Report) error {
	for range 5 {
		began := time.Now()
		row, err := oneRow(ctx, conn, "SELECT "+clockColumn)
		if err != nil {
			return err
		}
		if err := db.readClock(began, []byte(row[0])); err != nil {
			return err
		}
	}
	reading := db.clock.reading.Load()
	report.ClockOffset, report.RoundTrip = reading.remote.Sub(reading.local), 2*reading.exact
	return nil
}

func (db *DB) inspectSchema(ctx context.Context, conn *pgconn.PgConn, report *Report) error {
	// Without a row there is no schema. What may be done with the tables is true of all of them, or of none.
	results, err := conn.Exec(ctx, "SELECT has_schema_privilege(n.oid, 'USAGE'), has_schema_privilege(n.oid, 'CREATE'), "+
		"(SELECT count(*) FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind = 'r'), "+
		"(SELECT count(*) FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind = 'r' AND "+
		"NOT pg_has_role(c.relowner, 'USAGE')), "+
		"(SELECT count(*) FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind = 'r' AND "+
		"NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT') AND "+
		"has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))) "+
		"FROM pg_namespace n WHERE n.nspname = "+quoteText(db.schema)).ReadAll()
	if err != nil {
		return err
	}
	if len(results[0].Rows) == 0 {
		row, err := oneRow(ctx, conn, "SELECT has_database_privilege(current_database(), 'CREATE')")
		report.CanMigrate = err == nil && row[0] == "t"
		return err
	}
	report.Exists = true
	row := texts(results[0].Rows[0])
	uses, creates, tables, foreign, refused := row[0] == "t", row[1] == "t", row[2], row[3], row[4]
	report.CanMigrate = uses && creates && foreign == "0"
	report.CanWrite = uses && tables != "0" && refused == "0"
	if !uses {
		return nil
	}
	found, err := db.readIdentity(ctx, conn, "")
	if err != nil && codeOf(err) == codeForbidden {
		return nil // CanWrite is false
	}
	report.Migration, report.UUID = found.migrations, found.uuid
	return err
}

// oneRow runs a query that returns one row.
func oneRow(ctx context.Context, conn *pgconn.PgConn, query string) ([]string, error) {
	results, err := conn.Exec(ctx, query).ReadAll()
	if err != nil {
		return nil, err
	}
	return texts(results[0].Rows[0]), nil
}

// texts returns the values of a row, with empty texts for NULL.
func texts(row [][]byte) (values []string) {
	for _, value := range row {
		values = append(values, string(value))
	}
	return values
}
