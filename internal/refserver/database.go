package refserver

import (
	"context"
	"errors"
	"strings"

	"github.com/payctl/payctl/internal/payments"
	storesql "github.com/payctl/payctl/internal/store/sql"
	"github.com/payctl/payctl/internal/store/sql/postgres"
)

// A Database names a schema of a PostgreSQL database.
type Database = postgres.Config

// The defaults of a Database.
const (
	DefaultSchema      = postgres.DefaultSchema
	DefaultConnections = postgres.DefaultConnections
)

// A DatabaseReport is what InspectDatabase has found.
type DatabaseReport = postgres.Report

// A DatabaseError is the reason why a database cannot be used. Its text does not contain the password.
type DatabaseError struct {
	Kind payments.Kind
	Next string // what to do, as an imperative
	Err  error
}

// Error implements error.
func (e *DatabaseError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *DatabaseError) Unwrap() error { return e.Err }

// openDatabase opens the store in a database. The error is a *DatabaseError.
func openDatabase(database Database) (place, error) {
	db, err := postgres.Open(context.Background(), database) // which bounds its waits
	if err != nil {
		return place{}, databaseError(err)
	}
	return place{store: storesql.New(db), clock: db.Now, name: db.String(), restored: db.Restored()}, nil
}

// InspectDatabase connects to a database and examines it without a change. The error is a *DatabaseError.
func InspectDatabase(ctx context.Context, database Database) (DatabaseReport, error) {
	report, err := postgres.Inspect(ctx, database)
	if err != nil {
		return report, databaseError(err)
	}
	return report, nil
}

// databaseError explains an error of package postgres.
func databaseError(err error) *DatabaseError {
	const address = "correct --database, or the variables of libpq such as PGHOST; it is a URL such as " +
		"postgres://USER@HOST:5432/DATABASE, or words such as host=HOST dbname=DATABASE"
	e := &DatabaseError{Kind: payments.KindInvalidSettings, Next: address, Err: err}
	failure, ofServer := errors.AsType[*postgres.Error](err)
	switch code := sqlState(err); {
	case errors.Is(err, postgres.ErrNewerSchema):
		e.Next = "install that version of payctl, or choose another --schema"
	case errors.Is(err, postgres.ErrOlderSchema):
		e.Next = "start payctl serve once without --no-migrate, as a user who may create tables"
	case errors.Is(err, postgres.ErrReadOnly):
		e.Next = "name the primary server; among several hosts of a URL, target_session_attrs=read-write finds it"
	case strings.HasPrefix(code, "28"): // invalid authorization
		e.Kind = payments.KindCredential
		e.Next = "check the user, and set its password in PGPASSWORD or in the file of PGPASSFILE"
	case code == "3D000": // unknown database
		e.Next = "create the database, with createdb, or name another one in --database"
	case code == "42501": // insufficient privilege
		e.Next = "payctl doctor --database URL   (shows what an administrator of the database has to run)"
	case code == "53300": // too many connections
		e.Kind = payments.KindUnreachable
		e.Next = "raise max_connections of the server, or give each server fewer with --database-connections"
	case ofServer && (failure.Broken || code == "57P03"): // it starts or stops
		e.Kind = payments.KindUnreachable
		e.Next = "see whether PostgreSQL runs there and accepts connections from this machine"
	case ofServer && code != "":
		e.Kind, e.Next = payments.KindUnusable, "see the log of the database server"
	}
	return e
}

// sqlState is the SQLSTATE code of an error of the server; empty: it is none.
func sqlState(err error) string {
	if reported, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); ok {
		return reported.SQLState()
	}
	return ""
}
