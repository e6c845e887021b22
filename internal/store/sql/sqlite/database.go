package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/sqlitedb"
	storesql "github.com/payctl/payctl/internal/store/sql"
)

// folderDB is the storesql.Database in a folder.
type folderDB struct {
	folder      *files
	db          *sql.DB
	state       *stateFile
	processes   presence
	lock        lockWatch
	checkpoints *checkpointer
	readers     chan *sqlitedb.Conn // nil: not opened yet
	writer      *sqlitedb.Conn      // nil: not opened yet, or discarded after a failure
	inserts     map[*storesql.Insertion]insertStatements
}

var _ storesql.StampedDatabase = (*folderDB)(nil)

// Dialect implements storesql.Database.
func (*folderDB) Dialect() storesql.Dialect {
	return storesql.Dialect{
		OneWriter: true, Rows: "json_each(%s) AS wanted",
		List: func(values []string) any {
			list, _ := json.Marshal(values, json.FormatNilSliceAsNull(false)) // strings can always be encoded
			return string(list)
		},
	}
}

// Retriable implements storesql.Database. The file is on this machine: what fails would fail again.
func (*folderDB) Retriable(error) bool { return false }

// stuckAfter is how long another process may hold the lock of the database without a commit. Then it is taken to be
// stopped, or to wait for a disk that hangs, and updates fail rather than wait. A request is to wait for a second at
// most.
const stuckAfter = 800 * time.Millisecond

// errStuck is the cause of updates that fail for that reason.
var errStuck = errors.New("another process is writing to the database and does not go on")

// A lockWatch tells whether the process that holds the lock of the database goes on.
type lockWatch struct {
	progress func() (progress, error)
	seen     progress  // when the lock was last asked for
	since    time.Time // when that was seen first; zero: the lock was free since
}

// isStuck is called when the lock is held. It reports whether nothing was committed for stuckAfter. While that lasts,
// it reports so at once, so that each request does not wait anew.
func (l *lockWatch) isStuck() bool {
	reached, err := l.progress()
	if err != nil {
		return false
	}
	if l.since.IsZero() || reached != l.seen {
		l.seen, l.since = reached, time.Now()
	}
	return time.Since(l.since) >= stuckAfter
}

// free notes that the lock was free.
func (l *lockWatch) free() { l.since = time.Time{} }

// writerBusyTimeout is how long SQLite itself waits for a lock on the writer's connection; sqlitedb.Retry does the
// rest.
const writerBusyTimeout = "PRAGMA busy_timeout = 20" // milliseconds

// Stamp implements storesql.StampedDatabase.
func (d *folderDB) Stamp() uint64 { return d.state.stamp() }

// Begin implements storesql.Database. It waits for other processes as long as they go on, whatever the context is.
func (d *folderDB) Begin(ctx context.Context) (storesql.Conn, error) {
	ctx = context.WithoutCancel(ctx)
	err := sqlitedb.Retry(ctx, patience, func() (err error) {
		if d.writer == nil {
			if d.writer, err = sqlitedb.Connect(ctx, d.db); err != nil {
				return err
			}
			if err := d.writer.Exec(writerBusyTimeout); err != nil {
				return err
			}
		}
		d.checkpoints.copyRest(d.writer)
		if err = d.writer.BeginWrite(); sqlitedb.HasCode(err, sqlitedb.Busy) && d.lock.isStuck() {
			err = errStuck
		}
		return err
	})
	if err != nil {
		d.discardWriter()
		return nil, err
	}
	d.lock.free()
	return &transaction{folderDB: d, ctx: ctx, conn: d.writer}, nil
}

func (d *folderDB) discardWriter() {
	if d.writer != nil {
		d.writer.Discard()
		d.writer = nil
	}
}

// BeginRead implements storesql.Database.
func (d *folderDB) BeginRead(ctx context.Context) (storesql.Conn, error) {
	conn, err := d.takeReader(ctx)
	if err != nil {
		return nil, err
	}
	if err := conn.Exec("BEGIN"); err != nil {
		d.returnReader(conn, err)
		return nil, err
	}
	return &transaction{folderDB: d, ctx: ctx, conn: conn, reads: true}, nil
}

// Query implements storesql.Database.
func (d *folderDB) Query(
	ctx context.Context, query string, args []any, each func(scan func(...any) error) error,
) error {
	conn, err := d.takeReader(ctx)
	if err != nil {
		return err
	}
	t := &transaction{ctx: ctx, conn: conn}
	t.Queue(query, args, each)
	d.returnReader(conn, t.failure)
	return t.Send()
}

func (d *folderDB) takeReader(ctx context.Context) (conn *sqlitedb.Conn, err error) {
	select {
	case conn = <-d.readers:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if conn == nil {
		if conn, err = sqlitedb.Connect(ctx, d.db); err != nil {
			d.readers <- nil
		}
	}
	return conn, err
}

// returnReader returns a connection for the next reader, or closes it after a failure.
func (d *folderDB) returnReader(conn *sqlitedb.Conn, failure error) {
	if failure != nil {
		conn.Discard()
		conn = nil
	}
	d.readers <- conn
}

// A transaction is a storesql.Conn. Its statements run at once, since no round trip is worth waiting for.
type transaction struct {
	*folderDB
	ctx     context.Context //nolint:containedctx // a transaction has one
	conn    *sqlitedb.Conn
	reads   bool
	ended   bool
	written int   // rows
	failure error // the first one of the database
	refused error // the first one of what reads rows, since the last Send
}

// Queue implements storesql.Conn.
func (t *transaction) Queue(query string, args []any, each func(scan func(...any) error) error) {
	if t.failure != nil {
		return
	}
	if each == nil {
		t.written++
		t.failure = t.conn.Exec(query, args...)
		return
	}
	t.failure = t.conn.Rows(context.Background(), query, args, func(scan func(...any) error) error {
		if err := each(scan); err != nil && t.refused == nil {
			t.refused = err
		}
		return t.ctx.Err()
	})
}

// insertStatements are INSERT statements that add insertedAtOnce rows. Each is a statement to prepare.
type insertStatements [len(insertedAtOnce)]string

var insertedAtOnce = [...]int{32, 8, 1}

// insertsOf makes the statements of an insertion. SQLite would look for each of many numbered placeholders among all of
// them, and so they have no numbers.
func insertsOf(into *storesql.Insertion) (statements insertStatements) {
	row := "(" + strings.Join(slices.Repeat([]string{"?"}, len(into.Columns)), ", ") + ")"
	for i, rows := range insertedAtOnce {
		statements[i] = into.Statement("VALUES " + strings.Join(slices.Repeat([]string{row}, rows), ", "))
	}
	return statements
}

// Insert implements storesql.Conn.
func (t *transaction) Insert(into *storesql.Insertion, rows [][]any) {
	statements, known := t.inserts[into]
	if !known {
		statements = insertsOf(into)
		t.inserts[into] = statements
	}
	for len(rows) > 0 && t.failure == nil {
		which := slices.IndexFunc(insertedAtOnce[:], func(size int) bool { return size <= len(rows) })
		size := insertedAtOnce[which]
		t.written += size - 1
		t.Queue(statements[which], slices.Concat(rows[:size]...), nil)
		rows = rows[size:]
	}
}

// Send implements storesql.Conn.
func (t *transaction) Send() error {
	if t.failure != nil {
		return t.failure
	}
	refused := t.refused
	t.refused = nil
	return refused
}

// Commit implements storesql.Conn. It counts the commit, in the database and outside of it, before it returns. If only
// the latter fails, the commit is on the disk all the same.
func (t *transaction) Commit(updates int) error {
	if t.failure != nil {
		return t.failure
	}
	reached, err := loadProgress(t.conn)
	if err == nil {
		reached = reached.next(updates, time.Now())
		err = t.conn.Exec(writeMarker, reached.marker())
	}
	if err == nil {
		err = t.state.update(func(r *recorded) { r.underWay = true })
	}
	if err == nil {
		err = t.conn.Commit()
	}
	if t.ended = err == nil; err != nil {
		t.failure = err
		return err
	}
	_ = t.state.update(func(r *recorded) { r.committed, r.underWay = reached, false })
	t.checkpoints.committed(t.written)
	return nil
}

// Rollback implements storesql.Conn.
func (t *transaction) Rollback() {
	if t.ended {
		return
	}
	t.ended = true
	failure := t.failure
	if failure == nil {
		failure = t.conn.Exec("ROLLBACK")
	}
	switch {
	case t.reads:
		t.returnReader(t.conn, failure)
	case failure != nil:
		t.discardWriter()
	}
}

// Close implements storesql.Database. The last process that closes the folder copies the log into the database.
func (d *folderDB) Close() error {
	d.checkpoints.close()
	for range cap(d.readers) {
		if reader := <-d.readers; reader != nil {
			reader.Discard()
		}
	}
	var err error
	if d.writer != nil {
		_ = d.writer.Exec("PRAGMA wal_checkpoint(TRUNCATE)") // if another process has the database open, it does this later
		err = d.writer.Close()
	}
	err = errors.Join(err, d.db.Close())
	return errors.Join(err, d.processes.leave(d.recordCleanStop), d.state.file.Close(), d.folder.Close())
}

// recordCleanStop records that the folder is whole without a log, if it is. No process uses the folder any more.
func (d *folderDB) recordCleanStop() error {
	info, err := d.folder.Lstat(fileName + logSuffix)
	switch {
	case err == nil && info.Size() > 0: // another program has the database open
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	r, known, err := d.state.read()
	if err != nil || !known {
		return err
	}
	r.clean, r.copied = true, r.committed
	return d.state.restart(r)
}
