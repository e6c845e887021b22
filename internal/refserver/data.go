package refserver

import (
	"context"
	"errors"
	"strings"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
	"github.com/payctl/payctl/internal/store/postgres"
)

// A DataError says why a data folder cannot be used.
type DataError struct {
	Folder string
	Err    error
}

// Error implements error.
func (e *DataError) Error() string {
	return "the data folder " + e.Folder + " cannot be used: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *DataError) Unwrap() error { return e.Err }

// openStore opens the store of a configuration, and describes its database. The error is a *DataError or a
// *DatabaseError.
func openStore(config Config) (opened store.Store, database string, err error) {
	ctx := context.Background() // each store bounds its waits
	switch {
	case config.Database != nil:
		opened, err := postgres.Open(ctx, *config.Database)
		if err != nil {
			return nil, "", databaseError(err)
		}
		return opened, opened.String(), nil
	case config.Data != "":
		opened, err := memory.Open(ctx, config.Data)
		if err != nil {
			return nil, "", &DataError{config.Data, err}
		}
		return opened, "", nil
	default:
		return memory.New(), "", nil
	}
}

// A Database names a PostgreSQL database.
type Database = postgres.Config

// A DatabaseError says why a database cannot be used. Its text does not contain the password.
type DatabaseError struct {
	ProblemType payments.ProblemType
	Next        string // what to do, as an imperative
	Err         error
}

// Error implements error.
func (e *DatabaseError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *DatabaseError) Unwrap() error { return e.Err }

// databaseError explains an error of package postgres. A refusal by a running server counts as an invalid setting.
func databaseError(err error) *DatabaseError {
	const address = "correct --database, or the variables of libpq such as PGHOST; it is a URL such as " +
		"postgres://USER@HOST:5432/DATABASE, or words such as host=HOST dbname=DATABASE"
	e := &DatabaseError{ProblemType: payments.ProblemInvalidSettings, Next: address, Err: err}
	code := postgres.CodeOf(err)
	failure, isFailure := errors.AsType[*postgres.Error](err)
	switch {
	case isFailure && failure.Setting == "sslmode":
		e.Next = "enable TLS on the server, or set sslmode=disable in --database if the network is safe"
	case isFailure && failure.Setting != "":
		e.Next = "correct the setting " + failure.Setting + ": in --database, or for the role or the database on the server"
	case errors.Is(err, postgres.ErrNewer):
		e.Next = "install that version of payctl, or name another schema as search_path in --database"
	case errors.Is(err, postgres.ErrEncoding):
		e.Next = "create another database with ENCODING 'UTF8' TEMPLATE template0, and name it in --database"
	case errors.Is(err, postgres.ErrReadOnly):
		e.Next = "name the primary server; among several hosts of a URL, target_session_attrs=read-write finds it"
	case strings.HasPrefix(code, "28"): // invalid authorization
		e.ProblemType = payments.ProblemCredential
		e.Next = "check the user, and set its password in PGPASSWORD or in the file of PGPASSFILE"
	case code == "3D000": // unknown database
		e.Next = "create the database, with createdb, or name another one in --database"
	case code == "42501", errors.Is(err, postgres.ErrForbidden): // insufficient privilege
		e.Next = "ask the owner of the database for the rights USAGE and CREATE on the schema, and all rights on its tables"
	case code == "53300": // too many connections
		e.ProblemType = payments.ProblemUnreachable
		e.Next = "raise max_connections of the server, or give each server fewer with pool_max_conns in --database"
	case isFailure && (code == "" || code == "57P03"): // it starts or stops
		e.ProblemType = payments.ProblemUnreachable
		e.Next = "check that PostgreSQL runs there and accepts connections from this machine"
	case isFailure:
		e.Next = "see the log of the database server"
	}
	return e
}
