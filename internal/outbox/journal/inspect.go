package journal

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"

	"github.com/payctl/payctl/internal/sqlitedb"
)

// A State is what Inspect finds in a journal.
type State struct {
	Version int // of the file; 0 if nothing was written to it
	Writes  int // entries
	Open    int // entries whose outcome is not known
}

// Inspect looks at the journal in a file and changes nothing: it does not create a file that is not there
// (fs.ErrNotExist), and does not migrate one of an earlier version. Its other errors are those of a Journal.
func Inspect(ctx context.Context, path string) (state State, err error) {
	if err := checkFile(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return State{}, err
		}
		return State{}, &UnusableError{path, err}
	}
	settings := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(2000)", "query_only(1)"}}
	if _, err := os.Lstat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		// No program writes. SQLite would create a log even to read, unless it believes that the file cannot change.
		settings.Set("immutable", "1")
	}
	db, err := sql.Open("sqlite", sqlitedb.DataSource(path, settings))
	if err != nil {
		return State{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	known, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return State{}, err
	}
	state.Version, err = version(ctx, db)
	if err == nil && state.Version > len(known) {
		err = sqlitedb.ErrNewer
	}
	if err != nil || state.Version == 0 {
		return state, explain(path, err)
	}
	const query = "SELECT count(*), count(*) FILTER (WHERE outcome IN ('sending', 'unknown')) FROM writes"
	err = db.QueryRowContext(ctx, query).Scan(&state.Writes, &state.Open)
	return state, explain(path, err)
}
