package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"iter"
	"time"

	"github.com/payctl/payctl/internal/sqlitedb"
	"github.com/payctl/payctl/internal/store"
)

// The contents of a world are its rows in contentTables. Replace writes new ones under a name of their own, in as many
// transactions as it has parts, and then makes that name the one of the world. The rows of the former name are deleted
// later, a few at a time. So no transaction is long, and updates of other worlds never wait for long.
const (
	readContents  = "SELECT name FROM contents WHERE world = $1"
	writeContents = "INSERT INTO contents (world, name) VALUES ($1, $2) ON CONFLICT (world) DO UPDATE SET name = excluded.name"
	addUnused     = "INSERT INTO unused_contents (name, deletable) VALUES ($1, $2) " +
		"ON CONFLICT (name) DO UPDATE SET deletable = excluded.deletable"
	removeUnused = "DELETE FROM unused_contents WHERE name = $1"
	nextUnused   = "SELECT name FROM unused_contents WHERE deletable = 1 LIMIT 1"
	anyUnused    = "SELECT EXISTS (SELECT 1 FROM unused_contents)"
	// abandonUnused makes the contents deletable whose Replace has ended with its process.
	abandonUnused = "UPDATE unused_contents SET deletable = 1 WHERE deletable = 0"
)

// contentTables are the tables that hold contents, with the columns that tell the rows of a world apart.
var contentTables = []struct{ table, key string }{
	{"accounts", "id"}, {"contacts", "id"}, {"transfers", "id"}, {"idempotency_keys", "id"}, {"requests", "id"},
	{"jobs", "due, number"}, {"events", "seq"}, {"counters", "world"},
}

// contentsOf returns the name of a world's contents.
func contentsOf(conn *sqlitedb.Conn, world string) (name string, err error) {
	err = conn.Row(readContents, []any{world}, &name)
	if errors.Is(err, sql.ErrNoRows) {
		return world, nil
	}
	return name, err
}

// loadContents sets the name of the contents that an update uses.
func (t *tx) loadContents() error {
	if known, ok := t.batch.cache.contents[t.world]; ok {
		t.contents = known
		return nil
	}
	name, err := contentsOf(t.conn, t.world)
	if err != nil {
		return t.fail(err)
	}
	t.contents, t.batch.cache.contents[t.world] = name, name
	return nil
}

// Replace implements store.Store.
func (s *Store) Replace(
	ctx context.Context, world string, parts iter.Seq[func(store.Tx) error], last func(store.Tx) error,
) error {
	added, written, shown := world+"#"+rand.Text(), false, false
	defer func() { // also when a function panics
		if written && !shown {
			_ = s.update(context.WithoutCancel(ctx), world, func(t *tx) error {
				return t.execAll(statement{addUnused, []any{added, 1}})
			})
		}
		s.sweeper.wake()
	}()
	for part := range parts {
		if err := s.update(ctx, world, func(t *tx) error {
			if !written {
				if err := t.execAll(statement{addUnused, []any{added, 0}}); err != nil {
					return err
				}
			}
			t.contents = added
			return part(t)
		}); err != nil {
			return err
		}
		written = true
	}
	err := s.update(ctx, world, func(t *tx) error {
		if err := t.execAll(
			statement{writeContents, []any{world, added}},
			statement{removeUnused, []any{added}}, statement{addUnused, []any{t.contents, 1}},
		); err != nil {
			return err
		}
		t.contents, t.batch.cache.contents[world] = added, added
		return last(t)
	})
	shown = err == nil
	return err
}

// A statement is SQL with its arguments.
type statement struct {
	query string
	args  []any
}

// execAll writes directly into the tables, after what the write buffers have.
func (t *tx) execAll(statements ...statement) error {
	if err := t.flush(); err != nil {
		return err
	}
	if err := t.ensureSavepoint(); err != nil {
		return err
	}
	for _, each := range statements {
		if err := t.exec(each.query, each.args...); err != nil {
			return err
		}
	}
	return nil
}

// A sweeper deletes the contents that no world has any more, as long as the store is open.
type sweeper struct {
	work chan struct{}
	stop context.CancelFunc
	done chan struct{}
}

// A transaction of the sweeper deletes sweepRows rows again and again, until sweepTime has passed. A row of a transfer has
// six indexes, and a record of a megabyte hundreds of pages.
const (
	sweepRows = 10
	sweepTime = 10 * time.Millisecond
)

func newSweeper(s *Store) *sweeper {
	ctx, stop := context.WithCancel(context.Background())
	w := &sweeper{work: make(chan struct{}, 1), stop: stop, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		for {
			select {
			case <-w.work:
			case <-ctx.Done():
				return
			}
			// After a failure the rest waits for the next time.
			for more := true; more && ctx.Err() == nil; {
				if s.update(ctx, "", func(t *tx) (err error) {
					more, err = t.sweep()
					return err
				}) != nil {
					break
				}
			}
		}
	}()
	return w
}

func (w *sweeper) wake() {
	select {
	case w.work <- struct{}{}:
	default:
	}
}

func (w *sweeper) close() {
	w.stop()
	<-w.done
}

// sweep deletes some rows of contents that no world has any more. It reports whether there may be more.
func (t *tx) sweep() (more bool, err error) {
	var name string
	err = t.conn.Row(nextUnused, nil, &name)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, t.fail(err)
	}
	if err := t.execAll(); err != nil {
		return false, err
	}
	began := time.Now()
	for _, each := range contentTables {
		for deleted := int64(sweepRows); deleted == sweepRows; {
			if time.Since(began) >= sweepTime {
				return true, nil
			}
			if deleted, err = t.conn.Changes("DELETE FROM "+each.table+" WHERE world = $1 AND ("+each.key+") IN "+
				"(SELECT "+each.key+" FROM "+each.table+" WHERE world = $1 LIMIT $2)", name, sweepRows); err != nil {
				return false, t.fail(err)
			}
		}
	}
	return true, t.exec(removeUnused, name)
}
