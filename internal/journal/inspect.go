package journal

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// A State is what a journal is found to be without changing it.
type State struct {
	Version int // of the file; 0 for one that nobody has written to
	Writes  int // entries
	Open    int // entries whose outcome is not known
}

// Inspect looks at the journal in a file and changes nothing: a file that is not there is not made (fs.ErrNotExist), one of an
// earlier version is not brought up to date. Errors are those of Open.
func Inspect(ctx context.Context, path string) (_ State, err error) {
	if err := checkFile(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return State{}, err
		}
		return State{}, &UnusableError{path, err}
	}
	db, err := sql.Open("sqlite", unchanged(path))
	if err != nil {
		return State{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	known, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return State{}, err
	}
	var state State
	state.Version, err = versionOf(ctx, db)
	if err == nil && state.Version > len(known) {
		err = ErrNewer
	}
	if err != nil || state.Version == 0 {
		return state, explain(path, err)
	}
	err = db.QueryRowContext(ctx, "SELECT count(*), count(*) FILTER (WHERE outcome IN ('sending', 'unknown')) FROM writes").Scan(&state.Writes, &state.Open)
	return state, explain(path, err)
}

// unchanged names the file to the driver for reading. Where no write-ahead log lies beside it nobody writes, and the file is
// taken for one that cannot change: SQLite would make a log otherwise, even to read.
func unchanged(path string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") { // C:/…
		slashed = "/" + slashed
	}
	query := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(2000)", "query_only(1)"}}
	_, log := os.Lstat(path + "-wal")
	if errors.Is(log, fs.ErrNotExist) {
		query.Set("immutable", "1")
	}
	name := url.URL{Scheme: "file", Path: slashed, RawQuery: query.Encode()}
	return name.String()
}
