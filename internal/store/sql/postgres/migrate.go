package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// The migrations are files with a number, 0001 for the first one, which are applied in their order, all in one
// transaction. A file that was released never changes. Processes of the version before go on working on the new schema
// until they are restarted, so a migration may only add what they do not need.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrations returns the contents of the files.
func migrations() ([]string, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	var all []string
	for _, name := range names {
		content, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, string(content))
	}
	return all, nil
}

// An identity is the row of the table with this name, which is made before the first migration: how many migrations
// were applied, a random UUID, and the place in which the row was written.
type identity struct {
	migrations int
	uuid       string
	place      string
}

// migrate applies the migrations that are missing, and learns the identity of the database.
func (db *DB) migrate(ctx context.Context, never bool) error {
	wanted, err := migrations()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*sendTimeout) // the first process to come may take as long as one statement
	defer cancel()
	pooled, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	defer pooled.Release()
	conn := pooled.Conn().PgConn()
	found, err := db.readIdentity(ctx, conn, "")
	if err == nil && found.migrations < len(wanted) {
		if never {
			err = ErrOlderSchema
		} else {
			found, err = db.applyAll(ctx, conn, wanted)
		}
	}
	if err == nil && found.migrations > len(wanted) {
		err = fmt.Errorf("%w (migration %d; this version has %d)", ErrNewerSchema, found.migrations, len(wanted))
	}
	if err == nil {
		found, err = db.renewIfRestored(ctx, conn, found)
	}
	if err != nil {
		return db.fail(fmt.Errorf("schema %s: %w", db.schema, err), conn.IsClosed())
	}
	db.identity.Store(&found.uuid)
	return nil
}

// readIdentity reads the identity; it is empty if the table does not exist. The suffix is that of the SELECT.
func (db *DB) readIdentity(ctx context.Context, conn *pgconn.PgConn, suffix string) (found identity, err error) {
	results, err := conn.Exec(ctx, "SELECT migrations, uuid, place FROM "+quoteName(db.schema)+".identity"+suffix).ReadAll()
	if code := codeOf(err); code == codeUnknownTable || code == codeUnknownSchema {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	rows := results[0].Rows
	if len(rows) == 0 {
		return found, nil
	}
	found.migrations, err = strconv.Atoi(string(rows[0][0]))
	found.uuid, found.place = string(rows[0][1]), string(rows[0][2])
	return found, err
}

// racing are the codes of statements that several processes run at the same time although only one of them can succeed.
var racing = []string{
	"23505", "42P06", "42P07", "42710", // it exists, or is just being made
	"40001", "40P01", "XX000", // "tuple concurrently updated"
}

// applyAll applies the migrations that are missing, unless another process does so meanwhile.
func (db *DB) applyAll(ctx context.Context, conn *pgconn.PgConn, wanted []string) (found identity, err error) {
	for range 10 {
		if err = db.prepareIdentity(ctx, conn); err == nil {
			found, err = db.change(ctx, conn, func(found identity) []string {
				if found.migrations >= len(wanted) {
					return nil // another process has applied them
				}
				count := "UPDATE identity SET migrations = " + strconv.Itoa(len(wanted))
				return append(slices.Clone(wanted[found.migrations:]), count)
			})
			if err == nil {
				return found, nil
			}
		}
		if conn.IsClosed() || !slices.Contains(racing, codeOf(err)) {
			return found, err
		}
	}
	return found, err
}

// prepareIdentity makes the schema, and the table with the row that the transaction of the migrations locks. The lock
// serves all engines, while advisory locks are missing in YugabyteDB, and do nothing in CockroachDB.
func (db *DB) prepareIdentity(ctx context.Context, conn *pgconn.PgConn) error {
	schema := quoteName(db.schema)
	results, err := conn.Exec(ctx, "SELECT 1 FROM pg_namespace WHERE nspname = "+quoteText(db.schema)).ReadAll()
	if err != nil {
		return err
	}
	if len(results[0].Rows) == 0 { // PostgreSQL refuses IF NOT EXISTS without the right to create it, even if it exists
		if err := run(ctx, conn, "CREATE SCHEMA IF NOT EXISTS "+schema); err != nil {
			return err
		}
	}
	return run(ctx, conn, "CREATE TABLE IF NOT EXISTS "+schema+".identity "+
		"(id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1), migrations BIGINT NOT NULL, uuid TEXT NOT NULL, place TEXT NOT NULL); "+
		"INSERT INTO "+schema+".identity (id, migrations, uuid, place) VALUES (1, 0, gen_random_uuid()::text, '') "+
		"ON CONFLICT DO NOTHING")
}

// change runs statements in a transaction that has locked the identity; next returns them for what it found there. It
// returns the identity after them.
func (db *DB) change(
	ctx context.Context, conn *pgconn.PgConn, next func(found identity) []string,
) (found identity, err error) {
	if err := run(ctx, conn, "BEGIN ISOLATION LEVEL READ COMMITTED"); err != nil {
		return found, err
	}
	defer func() {
		if err != nil && !conn.IsClosed() {
			err = errors.Join(err, run(ctx, conn, "ROLLBACK"))
		}
	}()
	if found, err = db.readIdentity(ctx, conn, " FOR UPDATE"); err != nil {
		return found, err
	}
	if statements := next(found); len(statements) > 0 {
		path := "SELECT set_config('search_path', " + quoteText(quoteName(db.schema)) + ", true);\n"
		if err := run(ctx, conn, path+strings.Join(statements, ";\n")); err != nil {
			return found, err
		}
		if found, err = db.readIdentity(ctx, conn, ""); err != nil {
			return found, err
		}
	}
	return found, run(ctx, conn, "COMMIT")
}

func run(ctx context.Context, conn *pgconn.PgConn, statements string) error {
	_, err := conn.Exec(ctx, statements).ReadAll()
	return err
}
