// Package sqlite keeps worlds in a file, by SQLite translated to Go. What an Update wrote is on the disk when it returns.
// Several processes may use one folder beside each other.
//
// There is one writer a process. Updates take turns on it; those that wait for their turn when another ends share its
// transaction, and so the wait for the disk (group commit). They write into memory, over the tables; the tables get it
// when the transaction commits, before anybody is answered, or when an update asks for what only they can tell, see
// layer. Views read from connections of their own and wait for nobody.
//
// The SQL of tables and jobs is kept to what PostgreSQL has too; what is SQLite's own is in engine.go.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/payctl/payctl/internal/store"
)

// Store is a store.Store in a folder.
type Store struct {
	db      *sql.DB
	kinds   *kinds
	writer  writer
	readers chan *connection // nil: not opened yet
	close   func() error
}

var _ store.Store = (*Store)(nil)

// fileName is the database in its folder.
const fileName = "payctl.db"

// Open opens the store in a folder, which is made when it is not there. The error is ErrNewer when a later version of
// the program has used the folder, or the system's.
func Open(ctx context.Context, folder string) (*Store, error) {
	file, err := filepath.Abs(filepath.Join(folder, fileName))
	if err != nil {
		return nil, err
	}
	if err := prepare(folder, file); err != nil {
		return nil, err
	}
	db, err := sql.Open(driverName, dsn(file))
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s := &Store{db: db, kinds: newKinds(), readers: make(chan *connection, readersFor(runtime.GOMAXPROCS(0)))}
	s.writer.kinds, s.writer.maxAge, s.writer.log = s.kinds, maxAge, checkpointer{db: db, after: manyWrites}
	s.writer.open = func(ctx context.Context) (*connection, error) { return connect(ctx, db) }
	for range cap(s.readers) {
		s.readers <- nil
	}
	s.close = sync.OnceValue(s.shut)
	return s, nil
}

// readersFor is how many views may read at once. Some wait for the disk while others compute.
func readersFor(processors int) int { return 2*processors + 2 }

// Update implements store.Store. It returns when the disk has what fn wrote.
func (s *Store) Update(ctx context.Context, world string, fn func(store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.writer.update(ctx, world, fn)
}

// View implements store.Store.
func (s *Store) View(ctx context.Context, world string, fn func(store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var c *connection
	select {
	case opened, ok := <-s.readers:
		if !ok {
			return store.Unavailable(errClosed)
		}
		c = opened
	case <-ctx.Done():
		return ctx.Err()
	}
	whole := false
	defer func() {
		if !whole && c != nil { // it failed, or fn did not come to its end: who knows what is under way
			c.discard()
			c = nil
		}
		s.readers <- c
	}()
	if c == nil {
		opened, err := connect(ctx, s.db)
		if err != nil {
			return failed(ctx, err)
		}
		c = opened
	}
	if err := c.exec(context.WithoutCancel(ctx), beginView); err != nil {
		return failed(ctx, err)
	}
	t := &tx{ctx: context.WithoutCancel(ctx), lists: ctx, kinds: s.kinds, connection: c, world: world}
	err := fn(t)
	if ended := c.exec(context.WithoutCancel(ctx), endView); ended != nil {
		return failed(ctx, ended)
	}
	whole = t.failure == nil
	return err
}

// errClosed is the cause of a failure after Close.
var errClosed = errors.New("sqlite: the store is closed")

// Close waits for what is under way and writes everything into the one file. It may be called more than once.
func (s *Store) Close() error { return s.close() }

func (s *Store) shut() error {
	c := s.writer.shut()
	for range cap(s.readers) {
		if reader := <-s.readers; reader != nil {
			reader.discard()
		}
	}
	close(s.readers)
	var err error
	if c != nil {
		// Another process may be at it: then it will do this.
		_ = c.exec(context.Background(), lastCheckpoint)
		err = c.close()
	}
	return errors.Join(err, s.db.Close())
}

// failed is a failure of the database, unless it is that the context ended.
func failed(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	return store.Unavailable(err)
}
