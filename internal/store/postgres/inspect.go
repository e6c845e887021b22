package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A Report is what Inspect has found.
type Report struct {
	Server   string // address and port, or the folder of the socket
	Database string
	User     string
	Schema   string
	Version  string // of the server, such as 15.18
	// Tables is the version of the tables in the schema, zero if there are none; Wanted is that of the program.
	Tables, Wanted int
	// Exists is true if the schema exists, whatever is in it.
	Exists bool
	// CanCreate is true if the user may create the schema, or its tables.
	CanCreate bool
	// CanWrite is true if the user may read and write all tables; false also while there is none.
	CanWrite bool
	// ReadOnly is true if the server is a standby, or refuses writes.
	ReadOnly bool
	// Settings of the server that matter for keeping data: fsync, synchronous_commit, full_page_writes.
	Settings map[string]string
	// Local is true for a Unix socket or a loopback address.
	Local bool
	// Encrypted is true if the connection uses TLS.
	Encrypted bool
	// RoundTrip is how long the server takes to respond.
	RoundTrip time.Duration
}

const (
	inspectServer = `SELECT current_setting('server_version'), current_database(), current_user,
		pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on',
		current_setting('fsync'), current_setting('synchronous_commit'), current_setting('full_page_writes')`
	inspectSchema = `SELECT has_schema_privilege(n.oid, 'USAGE'), has_schema_privilege(n.oid, 'CREATE'),
		count(c.oid), COALESCE(bool_and(has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT') AND
			has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')), false)
		FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind = 'r'
		WHERE n.nspname = $1 GROUP BY n.oid`
	mayCreateSchema = `SELECT has_database_privilege(current_database(), 'CREATE')`
)

// Inspect connects to a database and examines it without a change. The error is why no connection could be made or
// used.
func Inspect(ctx context.Context, config Config) (report Report, err error) {
	s, err := connect(ctx, config)
	if err != nil {
		return report, err
	}
	defer s.pool.Close()
	report = Report{Schema: s.schema, Wanted: schemaVersion}
	if err := s.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error { return report.inspect(ctx, conn.Conn()) }); err != nil {
		return report, s.fail(err)
	}
	return report, nil
}

func (r *Report) inspect(ctx context.Context, conn *pgx.Conn) error {
	began := time.Now()
	if err := conn.Ping(ctx); err != nil {
		return err
	}
	r.RoundTrip = time.Since(began)
	address := conn.PgConn().Conn().RemoteAddr()
	_, r.Encrypted = conn.PgConn().Conn().(*tls.Conn)
	r.Server = address.String()
	if address.Network() == "unix" {
		r.Server, r.Local = conn.Config().Host, true // the address is relative to the server's folder
	} else if tcp, ok := address.(*net.TCPAddr); ok {
		r.Local = tcp.IP.IsLoopback()
	}
	var fsync, commit, pages string
	err := conn.QueryRow(ctx, inspectServer).Scan(&r.Version, &r.Database, &r.User, &r.ReadOnly, &fsync, &commit, &pages)
	if err != nil {
		return err
	}
	r.Settings = map[string]string{"fsync": fsync, "synchronous_commit": commit, "full_page_writes": pages}
	return r.inspectSchema(ctx, conn)
}

func (r *Report) inspectSchema(ctx context.Context, conn *pgx.Conn) error {
	var uses bool
	var tables int
	err := conn.QueryRow(ctx, inspectSchema, r.Schema).Scan(&uses, &r.CanCreate, &tables, &r.CanWrite)
	r.Exists = err == nil
	if errors.Is(err, pgx.ErrNoRows) {
		return conn.QueryRow(ctx, mayCreateSchema).Scan(&r.CanCreate)
	}
	r.CanCreate, r.CanWrite = r.CanCreate && uses, r.CanWrite && uses
	if err != nil || !uses {
		return err
	}
	var exist bool
	if err := conn.QueryRow(ctx, tablesExist).Scan(&exist); err != nil || !exist {
		return err
	}
	err = conn.QueryRow(ctx, readVersion).Scan(&r.Tables)
	if CodeOf(err) == codeForbidden {
		return nil // CanWrite is false
	}
	return err
}
