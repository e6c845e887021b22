// Package sqlite keeps the worlds of package memory in a folder, in a SQLite database. Each update writes the documents
// that it changed, and many updates share a commit. A commit that has succeeded is on the disk.
package sqlite

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

// A Log is an open data folder. No other process has it open.
type Log struct {
	db      *sql.DB
	inPlace func() error // an error unless the path still leads to the database
	number  uint64       // of the last commit
	acked   *os.File     // has the number of the last acknowledged commit
	unlock  func()
	// Worlds are those that had a record when the folder was opened.
	Worlds []string

	mu     sync.Mutex
	next   *Commit // gathers changes; nil means there are none
	closed bool
	wake   chan struct{} // gets an element when there are changes, or the log is closed
	ended  chan struct{} // closed when the goroutine has ended
	conn   *sqlitedb.Conn
}

// A Change is a write of an update: it puts or deletes a document, or clears a collection.
type Change struct {
	World, Collection, ID string
	// Document is in JSON. Empty means deleted.
	Document string
	Clear    bool // deletes all documents of the collection
}

// A Commit is a group of changes that are committed together.
type Commit struct {
	changes []Change
	done    chan struct{} // closed when the commit has succeeded or failed
	err     error         // set before done is closed
}

// Append adds the changes of an update to the next commit. after is an earlier commit that they depend on, or nil. If
// it has failed, Append returns it.
func (l *Log) Append(after *Commit, changes []Change) *Commit {
	l.mu.Lock()
	defer l.mu.Unlock()
	if after != nil && after.err != nil {
		return after
	}
	if l.closed {
		failed := &Commit{done: make(chan struct{}), err: errClosed}
		close(failed.done)
		return failed
	}
	if l.next == nil {
		l.next = &Commit{done: make(chan struct{})}
		l.signal()
	}
	l.next.changes = append(l.next.changes, changes...)
	return l.next
}

func (l *Log) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Wait returns when the commit has succeeded or failed.
func (c *Commit) Wait() error {
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

// Ended reports whether the commit has succeeded or failed, and its error.
func (c *Commit) Ended() (ended bool, err error) {
	select {
	case <-c.done:
		return true, c.err
	default:
		return false, nil
	}
}

// work commits until the log is closed.
func (l *Log) work() {
	defer close(l.ended)
	for range l.wake {
		l.mu.Lock()
		next, closed := l.next, l.closed
		l.next = nil
		l.mu.Unlock()
		if next != nil {
			l.end(next, l.write(next.changes))
		} else if closed {
			return
		}
		if closed {
			l.signal()
		}
	}
}

// end sets the result of a commit. Changes that arrived meanwhile may depend on it, so they fail with it.
func (l *Log) end(c *Commit, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.changes, c.err = nil, err
	if err != nil && l.next != nil {
		l.next.changes, l.next.err = nil, err
		close(l.next.done)
		l.next = nil
	}
	close(c.done)
}

// write commits changes. If that fails, it discards the connection, and nothing of the changes is left.
func (l *Log) write(changes []Change) (err error) {
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

// apply runs one statement for the first changes, and returns how many it applied.
func (l *Log) apply(changes []Change) (applied int, err error) {
	first := changes[0]
	switch {
	case first.Clear:
		return 1, l.conn.Exec(deleteDocuments, first.Collection, first.World)
	case first.Document == "":
		return 1, l.conn.Exec(deleteDocument, first.Collection, first.World, first.ID)
	}
	query, applied := putDocument, 1
	isDelete := func(c Change) bool { return c.Document == "" }
	if len(changes) >= putManyRows && !slices.ContainsFunc(changes[:putManyRows], isDelete) {
		query, applied = putManyDocuments, putManyRows
	}
	args := make([]any, 0, 4*applied)
	for _, c := range changes[:applied] {
		args = append(args, c.Collection, c.World, c.ID, c.Document)
	}
	return applied, l.conn.Exec(query, args...)
}

// acknowledge writes the number of a commit to a file next to the database. It does not wait for the disk: if the
// machine fails, an earlier number is left, and Open accepts that.
func (l *Log) acknowledge(number uint64) error {
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
func (l *Log) Load(world string, add func(*store.Collection, store.Document)) error {
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

// Close commits all changes, and closes the folder.
func (l *Log) Close() error {
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
