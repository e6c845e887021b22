package journal

import (
	"context"
	"crypto/rand"
	"database/sql"
	_ "embed" // of the schema
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/sqlitedb"
)

//go:embed schema.sql
var schema string

// schemaVersion is the user_version that schema sets.
const schemaVersion = 1

// pragmas are set on every connection, in addition to those of package sqlitedb.
var pragmas = []string{
	// milliseconds that SQLite itself waits; sqlitedb.Retry waits for the rest, and can be canceled
	"busy_timeout(20)",
	"cache_size(-4096)",        // KiB
	"wal_autocheckpoint(4000)", // pages of 4 KiB, more than usual: rows of many writes share pages
}

var (
	errForeign = errors.New("it is the database of another program")
	// errSchema means that the tables, indexes, views or triggers are not those of schema. A trigger could change what
	// is written, and a view could show what was never written.
	errSchema = errors.New("its tables are not those that payctl makes; another program has changed them")
)

// A file is an open journal.
type file struct {
	path        string
	db          *sql.DB
	now         func() time.Time
	lockTimeout time.Duration
	writer      *sqlitedb.Writer
	owner       *owner
}

// jobsTogether is the most jobs in a transaction. It is more than a batch claims at once, so ended writes share the
// transaction of the next claim.
const jobsTogether = 2048

func openFile(ctx context.Context, path string, now func() time.Time, lockTimeout time.Duration) (*file, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	db, inPlace, err := sqlitedb.Open(path, pragmas...)
	if err != nil {
		return nil, explain(path, err)
	}
	if err := prepare(ctx, db, lockTimeout); err != nil {
		return nil, errors.Join(explain(path, err), db.Close())
	}
	f := &file{
		path: path, db: db, now: now, lockTimeout: lockTimeout, owner: &owner{folder: path + ownersSuffix, name: rand.Text()},
	}
	f.writer = sqlitedb.NewWriter(db, lockTimeout, jobsTogether, maxLockTimeout)
	f.writer.Check = inPlace
	return f, nil
}

// do runs a job in a transaction that is on the disk when it returns. Jobs run in order, so the job sees what End left
// to write.
func (f *file) do(ctx context.Context, run func(*sqlitedb.Conn) error) error {
	return explain(f.path, f.writer.Do(ctx, run))
}

// checkSchema refuses a database that is not a journal of this version. IsNew reports that the database is empty.
func checkSchema(conn *sqlitedb.Conn) (isNew bool, err error) {
	const applicationID = 0x70617963 // "payc"
	// SQLite keeps the text of each statement of the schema.
	const query = `SELECT (SELECT user_version FROM pragma_user_version),
		(SELECT application_id FROM pragma_application_id),
		count(*), coalesce(sum(instr(?, sql || ';') > 0), 0) FROM sqlite_schema
		WHERE NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4')) AND sql IS NOT NULL`
	var version, application, tables, own int
	err = conn.Row(query, []any{schema}, &version, &application, &tables, &own)
	switch {
	case err != nil:
		return false, err
	case version == 0 && application == 0 && tables == 0:
		return true, nil
	case application != applicationID:
		return false, errForeign
	case version > schemaVersion:
		return false, sqlitedb.ErrNewer
	case tables != own || own != strings.Count(schema, "\nCREATE "):
		return false, errSchema
	}
	return false, nil
}

// prepare creates the tables of a new journal in one transaction, and checks those of any other. If processes start
// together, one of them creates the tables. While it turns on the write-ahead log, SQLite returns Busy to the others at
// once, so prepare tries again.
func prepare(ctx context.Context, db *sql.DB, lockTimeout time.Duration) error {
	return sqlitedb.Retry(ctx, lockTimeout, func() (err error) {
		conn, err := sqlitedb.Connect(ctx, db)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, conn.Close()) }()
		if isNew, err := checkSchema(conn); err != nil || !isNew {
			return err
		}
		if err := conn.BeginWrite(); err != nil {
			return err
		}
		if isNew, err := checkSchema(conn); err != nil || !isNew {
			return errors.Join(err, conn.Exec("ROLLBACK"))
		}
		// SQLite begins a write transaction even if it cannot write, and fails at the first write.
		if err := conn.Exec(schema); err != nil {
			return errors.Join(fmt.Errorf("it is read-only, or cannot be written: %w", err), conn.Exec("ROLLBACK"))
		}
		return conn.Commit()
	})
}

// asUnsafe wraps an error of securefile in ErrUnsafe.
func asUnsafe(err error) error {
	if found, ok := errors.AsType[*securefile.Error](err); ok {
		return fmt.Errorf("%w: %w", ErrUnsafe, found)
	}
	return err
}

// FileRules returns the files and folders of the journal at path, with the rule for each.
func FileRules(path string) []securefile.FileRule {
	return append(sqlitedb.FileRules(path), securefile.RuleForFolder(path+ownersSuffix, true))
}
