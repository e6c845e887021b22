package journal

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/payctl/payctl/internal/sqlitedb"
)

// A State is what Inspect finds in a journal.
type State struct {
	Version int // of the file; 0 if nothing was written to it
	Writes  int // entries
	Open    int // entries whose outcome is not known
}

// Inspect looks at the journal in a file and changes nothing: it does not create a file that is not there
// (fs.ErrNotExist). Its other errors are those of a Journal.
func Inspect(ctx context.Context, path string) (state State, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return State{}, err
	}
	settings := url.Values{}
	if _, err := os.Lstat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		// No program writes. SQLite would create a log even to read, unless it believes that the file cannot change.
		settings.Set("immutable", "1")
	}
	db, err := sqlitedb.OpenReadOnly(path, settings, "busy_timeout(2000)", "query_only(1)")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return State{}, err
	case err != nil:
		return State{}, explain(path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := sqlitedb.Connect(ctx, db)
	if err != nil {
		return State{}, explain(path, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if isNew, err := checkSchema(conn); err != nil || isNew {
		return state, explain(path, err)
	}
	state.Version = schemaVersion
	const query = "SELECT count(*), count(*) FILTER (WHERE outcome IN ('sending', 'unknown')) FROM writes"
	err = conn.Row(query, nil, &state.Writes, &state.Open)
	return state, explain(path, err)
}
