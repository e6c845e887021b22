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

// An identity is the row of the table with this name, which the first migration makes: how many migrations were applied,
// and a random UUID.
type identity struct {
	migrations int
	uuid       string
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
	if err != nil {
		return db.fail(fmt.Errorf("schema %s: %w", db.schema, err), conn.IsClosed())
	}
	db.identity.Store(&found.uuid)
	return nil
}

// readIdentity reads the identity; it is empty if the table does not exist. The suffix is that of the SELECT.
func (db *DB) readIdentity(ctx context.Context, conn *pgconn.PgConn, suffix string) (found identity, err error) {
	results, err := conn.Exec(ctx, "SELECT migrations, uuid FROM "+quoteName(db.schema)+".identity"+suffix).ReadAll()
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
	found.uuid = string(rows[0][1])
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
			if found, err = db.applyMissing(ctx, conn, wanted); err == nil {
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
		"(id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1), migrations BIGINT NOT NULL, uuid TEXT NOT NULL); "+
		"INSERT INTO "+schema+".identity (id, migrations, uuid) VALUES (1, 0, gen_random_uuid()::text) "+
		"ON CONFLICT DO NOTHING")
}

// applyMissing applies the migrations that are still missing when it has the lock.
func (db *DB) applyMissing(ctx context.Context, conn *pgconn.PgConn, wanted []string) (found identity, err error) {
	if err := run(ctx, conn, "BEGIN ISOLATION LEVEL READ COMMITTED"); err != nil {
		return found, err
	}
	defer func() {
		if err != nil && !conn.IsClosed() {
			err = errors.Join(err, run(ctx, conn, "ROLLBACK"))
		}
	}()
	if found, err = db.readIdentity(ctx, conn, " FOR UPDATE"); err != nil || found.migrations >= len(wanted) {
		return found, errors.Join(err, run(ctx, conn, "COMMIT"))
	}
	statements := []string{"SELECT set_config('search_path', " + quoteText(quoteName(db.schema)) + ", true)"}
	statements = append(statements, wanted[found.migrations:]...)
	found.migrations = len(wanted)
	statements = append(statements,
		"UPDATE "+quoteName(db.schema)+".identity SET migrations = "+strconv.Itoa(found.migrations), "COMMIT")
	return found, run(ctx, conn, strings.Join(statements, ";\n"))
}

func run(ctx context.Context, conn *pgconn.PgConn, statements string) error {
	_, err := conn.Exec(ctx, statements).ReadAll()
	return err
}
