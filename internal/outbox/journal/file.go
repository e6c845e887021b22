package journal

import (
	"context"
	"embed"
	"errors"
	"fmt"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/sqlitedb"
)

//go:embed migrations/*.sql
var migrations embed.FS

// newestSchema is the sum of the schema that the migrations make; a test keeps it.
const newestSchema = "93d12a68e29ae494d3ca7ee766d6efbfa10584f538eb24711244feb495a4ad71"

// upgrade brings a journal to the present version.
var upgrade = sqlitedb.Migrations{Files: migrations, Version: version, Newest: newestSchema}

// pragmas are set on every connection, in addition to those of package sqlitedb.
var pragmas = []string{
	"busy_timeout(20)",         // milliseconds that SQLite itself waits; sqlitedb.Retry does the rest, and can be ended
	"cache_size(-4096)",        // KiB
	"wal_autocheckpoint(4000)", // pages of 4 KiB, more than usual: rows of many writes share pages
}

// errForeign is returned for a database that is no journal.
var errForeign = errors.New("it is the database of another program")

// version reads how many migrations a file has had: none, if it is empty. The error is errForeign for another program's
// database.
func version(ctx context.Context, db sqlitedb.Querier) (version int, err error) {
	const applicationID = 0x70617963 // "payc"
	const query = "SELECT (SELECT user_version FROM pragma_user_version), " +
		"(SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)"
	var application, tables int
	err = db.QueryRowContext(ctx, query).Scan(&version, &application, &tables)
	isNew := version == 0 && application == 0 && tables == 0
	if err == nil && application != applicationID && !isNew {
		err = errForeign
	}
	return version, err
}

// makeFolder creates a folder, and refuses one in which others could replace what the journal keeps.
func makeFolder(folder string) error { return asUnsafe(securefile.MakeFolder(folder)) }

// then is what the user can do once a file that is no journal is gone.
const then = "run the command again, or name another with --journal"

// asUnsafe wraps an error of securefile in ErrUnsafe and adds what to do about it.
func asUnsafe(err error) error {
	if found, ok := errors.AsType[*securefile.Error](err); ok {
		return fmt.Errorf("%w: %s; %s", ErrUnsafe, found.Reason, found.Next)
	}
	return err
}

// Places are the files and folders that the journal at path is kept in, with the rule for each.
func Places(path string) []securefile.Place {
	owners := path + ownersSuffix
	check := func() error { return securefile.CheckFolder(owners) }
	return append(sqlitedb.Places(path, then), securefile.Place{Path: owners, Folder: true, Public: true, Check: check})
}
