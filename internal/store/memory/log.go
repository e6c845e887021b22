package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/sqlitedb"
	"github.com/payctl/payctl/internal/store"
)

// commitTimeout is how long a caller waits for a commit. By then the client has given up.
const commitTimeout = 15 * time.Second

var (
	errSlow   = errors.New("the disk is too slow for a commit")
	errClosed = errors.New("the data folder is closed")
)

// A diskLog is an open data folder. No other process has it open.
type diskLog struct {
	db      *sql.DB
	inPlace func() error // an error unless the path still leads to the database
	number  uint64       // of the last commit
	acked   *os.File     // has the number of the last acknowledged commit
	unlock  func()
	// Worlds are those that had a record when the folder was opened.
	Worlds []string

	mu     sync.Mutex
	open   *logCommit // gathers changes for the next commit; nil means none
	closed bool
	wake   chan struct{} // gets an element when there are changes, or the log is closed
	ended  chan struct{} // closed when the goroutine has ended
	conn   *sqlitedb.Conn
}

// A logChange is a write of an update.
type logChange struct {
	World, Collection, ID string
	// Document is in JSON; empty: the document is deleted.
	Document string
	Clear    bool // deletes all documents of the collection
}

// A logCommit is changes that are committed together.
type logCommit struct {
	changes []logChange
	done    chan struct{} // closed when the commit has succeeded or failed
	err     error         // set before done is closed
}

// Append adds the changes of an update to the next commit. They build on those of the commit after, which may still
// fail. Nil means on none. If that commit has failed, Append returns it.
func (l *diskLog) Append(after *logCommit, changes []logChange) *logCommit {
	l.mu.Lock()
	defer l.mu.Unlock()
	if after != nil && after.err != nil {
		return after
	}
	if l.closed {
		failed := &logCommit{done: make(chan struct{}), err: errClosed}
		close(failed.done)
		return failed
	}
	if l.open == nil {
		l.open = &logCommit{done: make(chan struct{})}
		l.signal()
	}
	l.open.changes = append(l.open.changes, changes...)
	return l.open
}

func (l *diskLog) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Wait returns when the commit has succeeded, or why it has not.
func (c *logCommit) Wait() error {
	if ended, err := c.Ended(); ended {
		return err
	}
	timer := time.NewTimer(commitTimeout)
	defer timer.Stop()
	select {
	case <-c.done:
		return c.err
	case <-timer.C:
		return errSlow
	}
}

// Ended reports whether the commit has succeeded or failed, and why it has failed.
func (c *logCommit) Ended() (ended bool, err error) {
	select {
	case <-c.done:
		return true, c.err
	default:
		return false, nil
	}
}

// work commits until the log is closed.
func (l *diskLog) work() {
	defer close(l.ended)
	for range l.wake {
		l.mu.Lock()
		open, closed := l.open, l.closed
		l.open = nil
		l.mu.Unlock()
		if open != nil {
			l.end(open, l.write(open.changes))
		} else if closed {
			return
		}
		if closed {
			l.signal()
		}
	}
}

// end tells those who wait how a commit has ended. Changes that came meanwhile may build on it, and fail with it.
func (l *diskLog) end(c *logCommit, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.changes, c.err = nil, err
	if err != nil && l.open != nil {
		l.open.changes, l.open.err = nil, err
		close(l.open.done)
		l.open = nil
	}
	close(c.done)
}

// write commits changes. If it fails the connection is discarded, and nothing of them is left.
func (l *diskLog) write(changes []logChange) (err error) {
	defer func() {
		if err != nil && l.conn != nil {
			l.conn.Discard()
			l.conn = nil
		}
	}()
	if err := l.inPlace(); err != nil {
		return err
	}
	if l.conn == nil {
		if l.conn, err = sqlitedb.Connect(context.Background(), l.db); err != nil {
			return err
		}
	}
	if err := l.conn.BeginWrite(); err != nil {
		return err
	}
	for len(changes) > 0 {
		applied, err := l.apply(changes)
		if err != nil {
			return fmt.Errorf("%s %s: %w", changes[0].Collection, changes[0].ID, err)
		}
		changes = changes[applied:]
	}
	if err := l.conn.Exec(setCommits, int64(l.number+1)); err != nil {
		return err
	}
	if err := l.conn.Commit(); err != nil {
		return err
	}
	if err := l.inPlace(); err != nil {
		return err
	}
	return l.acknowledge(l.number + 1)
}

// apply runs the statement for the first of some changes, or for as many as one statement takes, and returns their
// number.
func (l *diskLog) apply(changes []logChange) (applied int, err error) {
	first := changes[0]
	switch {
	case first.Clear:
		return 1, l.conn.Exec(deleteDocuments, first.Collection, first.World)
	case first.Document == "":
		return 1, l.conn.Exec(deleteDocument, first.Collection, first.World, first.ID)
	}
	query, applied := putDocument, 1
	isRemoval := func(c logChange) bool { return c.Document == "" }
	if len(changes) >= putManyRows && !slices.ContainsFunc(changes[:putManyRows], isRemoval) {
		query, applied = putManyDocuments, putManyRows
	}
	args := make([]any, 0, 4*applied)
	for _, c := range changes[:applied] {
		args = append(args, c.Collection, c.World, c.ID, c.Document)
	}
	return applied, l.conn.Exec(query, args...)
}

// acknowledge writes the number of a commit beside the database. It does not wait for the disk: a machine that fails
// leaves a lesser number, which a start accepts.
func (l *diskLog) acknowledge(number uint64) error {
	text := fmt.Sprintf("%0*d\n", numberLength-1, number)
	if _, err := l.acked.WriteAt([]byte(text), 0); err != nil {
		return err
	}
	l.number = number
	return nil
}

// numberLength is the fixed length of the file with the number, so that each number overwrites the one before.
const numberLength = 21

// readAcknowledged reads the number of the last acknowledged commit. It is zero in a new folder, after the file was
// deleted, and if the machine failed before the number was on the disk.
func readAcknowledged(file *os.File) (uint64, error) {
	text := make([]byte, numberLength)
	if n, err := file.ReadAt(text, 0); n < numberLength {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return 0, err
	}
	number, err := strconv.ParseUint(string(text[:numberLength-1]), 10, 64)
	if err != nil {
		return 0, nil //nolint:nilerr // the machine failed while it was written
	}
	return number, nil
}

// Load calls add for each document of a world.
func (l *diskLog) Load(world string, add func(*store.Collection, store.Document)) error {
	ctx := context.Background()
	for _, collection := range store.Collections {
		rows, err := l.db.QueryContext(ctx, readDocuments, collection.Name, world)
		if err != nil {
			return err
		}
		if err := decodeRows(rows, collection, add); err != nil {
			return fmt.Errorf("%s: %w", collection.Name, err)
		}
	}
	return nil
}

func decodeRows(rows *sql.Rows, collection *store.Collection, add func(*store.Collection, store.Document)) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var text sql.RawBytes
		if err := rows.Scan(&text); err != nil {
			return err
		}
		document, err := collection.Decode(text)
		if err != nil {
			return err
		}
		add(collection, document)
	}
	return rows.Err()
}

// Close commits what was appended, and closes the folder.
func (l *diskLog) Close() error {
	l.mu.Lock()
	first := !l.closed
	l.closed = true
	l.signal()
	l.mu.Unlock()
	if !first {
		return nil
	}
	<-l.ended
	var err error
	if l.conn != nil {
		err = l.conn.Close()
	}
	return errors.Join(err, l.release())
}
