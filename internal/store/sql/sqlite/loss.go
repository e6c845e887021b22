package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/sqlitedb"
)

// A LossError is returned for a folder that does not have all that was acknowledged: its database or the log of that is
// damaged, missing or older than it was.
type LossError struct {
	// Reason is what was found.
	Reason string
	// Writes is how many acknowledged writes cannot be read, at least. They were made from After, which is zero if
	// nothing is left, until Until. Zero writes: how many is not known.
	Writes       uint64
	After, Until time.Time
	// Aside is the folder in which the files are that were found, once the loss is accepted.
	Aside string
}

// Error implements error.
func (e *LossError) Error() string {
	text := e.Reason
	switch {
	case e.Writes == 0:
		text += "; how much was lost is not known"
	case e.After.IsZero():
		text += fmt.Sprintf("; %d acknowledged writes up to %s cannot be read", e.Writes, stamp(e.Until))
	default:
		text += fmt.Sprintf("; %d acknowledged writes from %s to %s cannot be read", e.Writes, stamp(e.After), stamp(e.Until))
	}
	return text
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// A found folder is what Open finds in it while no other process uses it.
type found struct {
	recorded       // by the state file
	known    bool  // the state file is there and not damaged
	size     int64 // of the database; -1: it is missing
	database progress
	log      logScan
}

// What is left of a folder.
type remains int

const (
	all      remains = iota // nothing was lost
	prefix                  // the database and the log up to its first damaged frame
	database                // the database without its log, which is damaged or of another time
	nothing                 // no database
)

// look reads what is in a folder, and changes nothing.
func look(ctx context.Context, folder *files) (f found, err error) {
	if f.recorded, f.known, err = readState(folder); err != nil {
		return f, err
	}
	info, err := folder.Lstat(fileName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.size = -1
	case err != nil:
		return f, err
	default:
		f.size = info.Size()
	}
	if f.log, err = scanLog(folder, fileName+logSuffix); err != nil || f.size <= 1 {
		return f, err
	}
	// A process that is killed while it copies the log leaves a file that is shorter than its first page says, and of
	// which SQLite reads nothing unless the schema is writable.
	f.database, err = readDatabase(ctx, folder.path(fileName), loadMarker, "writable_schema(1)")
	if sqlitedb.HasCode(err, sqlitedb.Corrupt) { // then the row is not in it yet, or is damaged
		err = nil
	}
	return f, err
}

// judge reports what is left of a folder. The error says what was lost; it is nil if nothing was, also where the log
// adds nothing to the database and has to go (database). unproven is true if the database has the last commit and it
// is not recorded who copied it there from the log: another program, or this one, which then was killed before it had
// copied everything. Whether the database is consistent decides.
func (f found) judge() (left remains, unproven bool, loss *LossError) {
	newest := f.committed.max(f.log.last) // that is known to have been acknowledged
	if f.log.damagedAt >= 0 {
		newest = newest.max(f.log.behind)
	}
	if f.size <= 0 {
		switch {
		case f.committed.commits == 0 && f.log.size <= logHeaderSize:
			return all, false, nil // a new folder
		case f.size == 0:
			return nothing, false, lost(progress{}, newest, "the database "+fileName+" is empty")
		}
		return nothing, false, lost(progress{}, newest, "the database "+fileName+" is missing")
	}
	replays := f.log.last.commits > 0
	if !f.known && !replays && f.database.commits == 0 {
		return all, false, nil // of an earlier version: nothing is known
	}
	// The log follows on what the database has, and the database has nothing that the log, or what was before it, did
	// not have.
	fits := replays && f.log.first.commits <= f.database.commits+1 && f.database.commits <= f.log.last.commits
	damaged := f.log.damagedAt >= 0
	left, has := database, f.database
	if fits {
		left, has = prefix, f.log.last
	}
	const log = "the log " + fileName + logSuffix
	switch {
	case fits && !damaged && f.log.last.commits >= newest.commits:
		return all, false, nil
	case f.database.commits < f.copied.commits:
		return left, false, lost(has, newest, "the database "+fileName+" is older than the one that was in use")
	case !replays && !damaged && f.database.commits >= newest.commits: // a log without a commit of this program
		return all, f.copied.commits < newest.commits, nil
	case f.known && f.copied.commits >= newest.commits: // which is all, whatever the log has
		return database, false, nil
	case damaged:
		return left, false, lost(has, newest, fmt.Sprintf("%s is damaged at byte %d", log, f.log.damagedAt))
	case fits:
		return left, false, lost(has, newest, log+" is damaged, or shorter than it was")
	case replays:
		return left, false, lost(has, newest, log+" does not belong to the database "+fileName)
	case f.log.size == 0:
		return left, false, lost(has, newest, log+" is missing or empty")
	}
	return left, false, lost(has, newest, log+" is damaged at its beginning")
}

// lost describes the loss of what came after has, up to newest.
func lost(has, newest progress, reason string) *LossError {
	e := &LossError{Reason: reason}
	if newest.commits > 0 {
		e.Until = newest.time()
	}
	if newest.writes > has.writes {
		e.Writes = newest.writes - has.writes
	}
	if has.commits > 0 {
		e.After = has.time()
	}
	return e
}

// readDatabase reads from the file of the database alone, as if it had no log, and changes nothing.
func readDatabase[T any](
	ctx context.Context, file string, read func(context.Context, *sql.DB) (T, error), pragmas ...string,
) (value T, err error) {
	db, err := sqlitedb.OpenReadOnly(file, then, url.Values{"immutable": {"1"}}, pragmas...)
	if err != nil {
		return value, err
	}
	value, err = read(ctx, db)
	return value, errors.Join(err, db.Close())
}

// loadMarker reads the progress; it is zero in a database of an earlier version, and in one of which nothing has been
// copied from the log yet.
func loadMarker(ctx context.Context, db *sql.DB) (progress, error) {
	var marker []byte
	err := db.QueryRowContext(ctx, readMarker).Scan(&marker)
	if err != nil && strings.Contains(err.Error(), "no such table") {
		err = nil
	}
	return findMarkers(marker), err
}

// checkIntegrity returns an error if the database is not consistent. It reads all of it.
func checkIntegrity(ctx context.Context, db *sql.DB) (consistent bool, err error) {
	var verdict string
	err = db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict)
	if sqlitedb.HasCode(err, sqlitedb.Corrupt, sqlitedb.NotADatabase) {
		return false, nil
	}
	return verdict == "ok", err
}

// setAside copies what was found to a folder of its own, before anything of it is changed.
func setAside(folder *files, now time.Time) (aside string, err error) {
	name := "damaged-" + now.UTC().Format("20060102T150405.000Z")
	aside = folder.path(name)
	if err := folder.Mkdir(name, 0o700); err != nil {
		return aside, err
	}
	to, err := securefile.OpenFolder(aside)
	if err != nil {
		return aside, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	for _, name := range []string{fileName, fileName + logSuffix, stateName} {
		if err := copyFile(&files{to}, folder, name); err != nil {
			return aside, err
		}
	}
	return aside, errors.Join(to.Sync(), folder.Sync())
}

// copyFile copies a file, if it exists, to a new one of another folder, on the disk.
func copyFile(to, from *files, name string) (err error) {
	source, err := from.open(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := to.open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Sync(), target.Close())
}

// dropLog removes the log, and the index of it, which SQLite makes again.
func dropLog(folder *files) error {
	for _, suffix := range []string{logSuffix, indexSuffix} {
		if err := folder.Remove(fileName + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return folder.Sync()
}
