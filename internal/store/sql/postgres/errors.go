package postgres

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// An Error is a failure of the database. It names the server, the database and the user, but never the password.
type Error struct {
	Where string // such as db.example.com:5432, database payctl, user app
	// Broken is true if the connection broke, or none could be made.
	Broken bool
	cause  error
}

func (e *Error) Error() string {
	cause := e.cause
	var connecting *pgconn.ConnectError
	if errors.As(cause, &connecting) {
		cause = connecting.Unwrap() // Where has what its text begins with
		var reported *pgconn.PgError
		if errors.As(cause, &reported) && strings.Contains(reported.Message, "parameter") {
			// The text names a setting of the address, which may be a part of a password that was not quoted.
			cause = errors.New("the server refuses a setting of the address (SQLSTATE " + reported.Code + ")")
		}
	}
	return "PostgreSQL at " + e.Where + ": " + reasons(strings.ReplaceAll(cause.Error(), "ValidateConnect failed: ", ""))
}

// reasons are those of all attempts to connect, a line each. Without sslmode each server is asked for TLS first: that
// it has none is no reason then.
func reasons(lines string) string {
	all := slices.Compact(strings.Split(lines, "\n")) // with and without TLS they are often the same
	counting := slices.DeleteFunc(slices.Clone(all), func(line string) bool {
		server, hasNoTLS := strings.CutSuffix(line, "tls error: server refused TLS connection")
		return hasNoTLS && slices.ContainsFunc(all, func(other string) bool {
			return other != line && strings.HasPrefix(other, server)
		})
	})
	return strings.Join(counting, "; ")
}

func (e *Error) Unwrap() error { return e.cause }

// Errors of Open.
var (
	// ErrNewerSchema is returned for a schema with migrations that the program does not have.
	ErrNewerSchema = errors.New("it was made by a newer version of payctl, which this one cannot write to")
	// ErrOlderSchema is returned with Config.NoMigrate for a schema that lacks migrations, or does not exist.
	ErrOlderSchema = errors.New("it lacks migrations, and applying them is switched off")
	// ErrReadOnly is returned while a server accepts no writes: it is a standby, or was made read-only.
	ErrReadOnly = errors.New("the server accepts no writes: it is a standby, or read-only")
	// ErrOtherDatabase is returned if a new connection leads to another database than the first one did, for instance
	// because a name leads to another machine, or a backup was restored into a new schema.
	ErrOtherDatabase = errors.New("this is not the database that payctl was started with; restart payctl to use it")
)

// SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const (
	codeReadOnly          = "25006"
	codeCompletionUnknown = "40003" // CockroachDB, of a commit
	codeUnknownStatement  = "26000"
	codeKnownStatement    = "42P05"
	codeChangedPlan       = "0A000"
	codeUnknownTable      = "42P01"
	codeUnknownSchema     = "3F000"
	codeForbidden         = "42501"
	codeUnknownFunction   = "42883"
)

// retriable are the codes of failures that are likely to be gone in a new transaction, on another connection.
var retriable = []string{
	"40001", // serialization failure; CockroachDB reports conflicts in this way
	"40P01", // deadlock
	"57P01", // the server shuts down
	"57P02", // another process of the server crashed
	"57P03", // the server starts
	"57P04", // the database was dropped
	"57P05", // the connection was idle for long
	"25P03", // the transaction was idle for long
	codeReadOnly,
	codeUnknownStatement, codeKnownStatement, // PgBouncer without max_prepared_statements
	codeChangedPlan, // of a prepared statement, since another process has migrated the schema
}

// Retriable implements sql.Database.
func (db *DB) Retriable(err error) bool {
	var failure *Error
	if !errors.As(err, &failure) {
		return false
	}
	if code := codeOf(err); code != "" {
		return slices.Contains(retriable, code) || strings.HasPrefix(code, "08")
	}
	return failure.Broken && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) &&
		!errors.Is(err, ErrOtherDatabase)
}

// codeOf is the SQLSTATE code of an error; empty: the error is not the server's.
func codeOf(err error) string {
	var reported *pgconn.PgError
	if errors.As(err, &reported) {
		return reported.Code
	}
	return ""
}

// configError explains why a URL cannot be used. It does not repeat any of it: the parts of a URL that is not
// well-formed are not what they seem, and the password may be in any of them. Nor does it wrap the error of pgx, which
// contains it.
func configError(text string, err error) error {
	for _, known := range explanations {
		// A text that has the words itself can only cause a wrong explanation.
		if strings.Contains(err.Error(), known.message) && !strings.Contains(text, known.message) {
			return errors.New("the database's address has a setting that cannot be used: " + known.explanation)
		}
	}
	if isURL(text) {
		return errors.New("the database's address is not a valid URL such as postgres://USER:PASSWORD@HOST:5432/DATABASE; " +
			"write special characters in a name or a password as percent-encoded bytes, such as %40 for @ and %2F for /")
	}
	return errors.New("the database's address is neither a URL such as postgres://USER:PASSWORD@HOST:5432/DATABASE nor " +
		"settings such as host=HOST dbname=DATABASE; quote a value with spaces in single quotes")
}

// explanations are those of the messages of pgx that name a setting. What follows a message is not repeated.
var explanations = []struct{ message, explanation string }{
	{"could not match", "the number of ports differs from the number of hosts"},
	{"invalid port", "a port is a number from 1 to 65535"},
	{"invalid connect_timeout", "connect_timeout is a number of seconds"},
	{"failed to read service", "the service is not in the service file; see PGSERVICEFILE"},
	{"failed to configure TLS", "check sslmode, and that the files of sslrootcert, sslcert and sslkey can be read"},
	{"unknown target_session_attrs", "target_session_attrs is read-write"},
	{"invalid sslcertmode", "sslcertmode is disable, allow or require"},
	{"invalid default_query_exec_mode", "default_query_exec_mode is cache_statement or exec"},
	{"invalid require_auth", "require_auth is a list of methods such as scram-sha-256"},
	{"invalid channel_binding", "channel_binding is disable, prefer or require"},
	{"invalid sslnegotiation", "sslnegotiation is postgres or direct"},
}

func isURL(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// checkAddress refuses URLs that pgx accepts although they are probably not meant so: a slash in a password that is not
// percent-encoded ends the host, so that the rest of the password would become the port or the database, which errors
// name.
func checkAddress(text string) error {
	if !isURL(text) {
		return nil
	}
	_, rest, _ := strings.Cut(text, "://")
	if i := strings.IndexAny(rest, "@/"); i >= 0 && rest[i] == '@' {
		rest = rest[i+1:] // of the user and the password
	}
	if strings.Contains(rest, "@") {
		return configError(text, errors.New(""))
	}
	return nil
}
