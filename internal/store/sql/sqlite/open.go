package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"path/filepath"
	"runtime"
	"time"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/sqlitedb"
	storesql "github.com/payctl/payctl/internal/store/sql"
)

//go:embed migrations/*.sql
var migrations embed.FS

// newestSchema is the sum of the schema that the migrations make; a test keeps it.
const newestSchema = "f5cb148682d8ec903bb13ce7d901e3e6339b0845f8617ab5ce71fd93b07c543d"

// upgrade brings a database to the present version.
var upgrade = sqlitedb.Migrations{Files: migrations, Version: version, Newest: newestSchema, CheckWritable: true}

// fileName is the database in its folder.
const fileName = "payctl.db"

// The suffixes of the log and of its index, which SQLite keeps next to the database.
const (
	logSuffix   = "-wal"
	indexSuffix = "-shm"
)

// patience is how long the store waits for other processes that go on. A client has given up by then.
const patience = 15 * time.Second

// pragmas are set on every connection, in addition to those of package sqlitedb.
var pragmas = []string{
	"busy_timeout(900)",            // milliseconds that views wait for another process that recovers the log
	"wal_autocheckpoint(20000)",    // pages of 4 KiB; the checkpointer is to come first
	"journal_size_limit(16777216)", // bytes that a log keeps when it begins anew, more than it needs: growing takes time
	"cache_size(-16384)",           // KiB
}

// ErrNewer is returned for a folder that a later version of the program has used.
var ErrNewer = sqlitedb.ErrNewer

// Open opens the store in a folder, which it creates if necessary. The error is ErrNewer for the data of a later
// version of the program, a *LossError if acknowledged data is missing, a *securefile.Error if another user could read
// or change what is kept in the folder, or the system's.
func Open(ctx context.Context, folder string) (*Store, error) {
	s, _, err := open(ctx, folder, false)
	return s, err
}

// OpenAcceptingLoss opens the store as Open does. Where that returns a *LossError, it opens the store with what is left
// and returns the loss with it. The files that were found are kept in a folder of their own.
func OpenAcceptingLoss(ctx context.Context, folder string) (*Store, *LossError, error) {
	return open(ctx, folder, true)
}

func open(ctx context.Context, folder string, acceptLoss bool) (s *Store, loss *LossError, err error) {
	if folder, err = filepath.Abs(folder); err != nil {
		return nil, nil, err
	}
	var undo []func() error // the last one first
	defer func() {
		for i := len(undo) - 1; err != nil && i >= 0; i-- {
			err = errors.Join(err, undo[i]())
		}
	}()
	if err := securefile.MakeFolder(folder); err != nil {
		return nil, nil, err
	}
	files, err := openFiles(folder)
	if err != nil {
		return nil, nil, err
	}
	undo = append(undo, files.Close)
	processes, err := newPresence(files)
	if err != nil {
		return nil, nil, err
	}
	alone, err := processes.enter(ctx, patience)
	if err != nil {
		return nil, nil, err
	}
	undo = append(undo, func() error { return processes.leave(func() error { return nil }) })
	var copied progress
	if alone { // otherwise another process has done this, and its log changes all the time
		if copied, loss, err = prepare(ctx, files, acceptLoss); err != nil {
			return nil, nil, err
		}
	}
	db, err := openDatabase(ctx, filepath.Join(folder, fileName))
	if err != nil {
		return nil, nil, err
	}
	undo = append(undo, db.Close)
	state, err := openState(files)
	if err != nil {
		return nil, nil, err
	}
	undo = append(undo, state.file.Close)
	if alone {
		if err := begin(ctx, db, state, copied, loss); err != nil {
			return nil, nil, err
		}
		if err := processes.share(ctx, patience); err != nil {
			return nil, nil, err
		}
	}
	kept := newDatabase(files, db, state, processes)
	return &Store{storesql.New(kept), kept}, loss, nil
}

// prepare finds out whether the folder has all that was acknowledged, before SQLite opens it. No other process uses it.
// It returns the progress that the file of the database has for sure. If a loss is accepted, prepare leaves what can be
// used, and returns the loss without an error.
func prepare(ctx context.Context, folder *files, acceptLoss bool) (copied progress, loss *LossError, err error) {
	f, err := look(ctx, folder)
	if err != nil {
		return copied, nil, err
	}
	left, unproven, loss := f.judge()
	copied = f.copied
	if unproven {
		consistent, err := readDatabase(ctx, folder.path(fileName), checkIntegrity)
		if err != nil {
			return copied, nil, err
		}
		if copied = f.database; !consistent {
			left, loss = database, lost(f.copied, f.committed, "the database was not copied completely, and its log is gone")
		}
	}
	if loss != nil {
		if !acceptLoss {
			return copied, nil, loss
		}
		if loss.Aside, err = setAside(folder, time.Now()); err != nil {
			return copied, nil, err
		}
		copied = progress{}
	}
	if left == database || left == nothing {
		err = dropLog(folder)
	}
	if left == nothing && f.size == 0 {
		err = errors.Join(err, folder.Remove(fileName))
	}
	return copied, loss, err
}

// openDatabase opens the database, creates it if it is new, and brings it to the present version.
func openDatabase(ctx context.Context, file string) (*sql.DB, error) {
	db, _, err := sqlitedb.Open(file, then, pragmas...)
	if err != nil {
		return nil, err
	}
	if err := upgrade.Apply(ctx, db, patience); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// begin copies what the log has into the database, and records that the folder is in use from now on. No other process
// uses it.
func begin(
	ctx context.Context, db *sql.DB, state *stateFile, copied progress, loss *LossError,
) (err error) {
	if _, known, err := state.read(); err != nil || loss != nil || !known {
		if err = errors.Join(err, renewWorlds(ctx, db)); err != nil {
			return err
		}
	}
	if _, err := db.ExecContext(ctx, abandonUnused); err != nil {
		return err
	}
	var result checkpointResult
	if err := db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(result.columns()...); err != nil {
		return err
	}
	if loss != nil {
		consistent, err := checkIntegrity(ctx, db)
		if err == nil && !consistent {
			err = errors.New("what is left of it is not consistent; all that was found is in " + loss.Aside)
		}
		if err != nil {
			return err
		}
	}
	committed, err := loadMarker(ctx, db)
	if err != nil {
		return err
	}
	if result.complete() {
		copied = committed
	}
	return state.restart(recorded{committed: committed, copied: copied})
}

// abandonUnused makes the contents deletable whose Replace has ended with its process.
const abandonUnused = "UPDATE unused_contents SET deletable = ''"

// renewWorlds makes every world another instance (store.World): its data is that of a backup, or a part was lost, so
// that clients may know of writes that it does not have.
func renewWorlds(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx,
		"UPDATE worlds SET document = json_set(document, '$.Instance', 'wld_' || hex(randomblob(16)))")
	return err
}

func newDatabase(folder *files, db *sql.DB, state *stateFile, processes presence) *folderDB {
	d := &folderDB{
		folder:      folder,
		db:          db,
		state:       state,
		lock:        lockWatch{progress: state.latest},
		processes:   processes,
		checkpoints: newCheckpointer(db, state),
		readers:     make(chan *sqlitedb.Conn, 2*runtime.GOMAXPROCS(0)+2), // some wait for the disk while others compute
		inserts:     map[*storesql.Insertion]insertStatements{},
	}
	for range cap(d.readers) {
		d.readers <- nil
	}
	return d
}

// version reads how many migrations a database has had. The first ones were counted in a table.
func version(ctx context.Context, db sqlitedb.Querier) (version int, err error) {
	const query = "SELECT (SELECT user_version FROM pragma_user_version), " +
		"EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'migrations')"
	var counted bool
	err = db.QueryRowContext(ctx, query).Scan(&version, &counted)
	if err == nil && version == 0 && counted {
		err = db.QueryRowContext(ctx, "SELECT count(*) FROM migrations").Scan(&version)
	}
	return version, err
}
