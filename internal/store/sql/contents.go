package sql

import (
	"context"
	"crypto/rand"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/store"
)

// The contents of a world are its rows in contentTables. Replace writes new ones under a name of their own, in as many
// transactions as it has parts, and then makes that name the one of the world. The rows of the former name are deleted
// later, a few at a time. So no transaction is long, and other updates never wait for long.
const (
	addUnused = "INSERT INTO unused_contents (name, deletable) VALUES ($1, $2) " +
		"ON CONFLICT (name) DO UPDATE SET deletable = excluded.deletable"
	removeUnused = "DELETE FROM unused_contents WHERE name = $1 RETURNING name"
	nextUnused   = "SELECT name FROM unused_contents WHERE deletable <= $1 LIMIT 1"
)

// abandonedAfter is when the contents of a Replace that has not ended may be deleted: its process has died.
const abandonedAfter = 24 * time.Hour

// contentTables are the tables that hold contents, with the columns that tell the rows of a world apart.
var contentTables = []struct{ table, key string }{
	{"accounts", "id"}, {"contacts", "id"}, {"transfers", "id"}, {"idempotency_keys", "id"}, {"requests", "id"},
	{"jobs", "due, number"}, {"events", "seq"},
}

// errGone is the error of a Replace that took so long that its contents were deleted.
var errGone = errors.New("the new contents of the world were deleted before they were complete")

// Replace implements store.Store.
func (s *Store) Replace(
	ctx context.Context, world string, parts iter.Seq[func(store.Tx) error], last func(store.Tx) error,
) error {
	added, written, shown := head{contents: world + "#" + rand.Text()}, false, false
	defer func() { // also when a function panics
		if written && !shown {
			_ = s.update(context.WithoutCancel(ctx), world, nil, func(t *tx) error {
				if t.state.head.contents == added.contents { // the last commit has happened, and its response was lost
					return nil
				}
				return t.markUnused(added.contents, 0)
			})
		}
		s.sweeper.wake()
	}()
	for part := range parts {
		if err := s.update(ctx, world, nil, func(t *tx) error {
			if !written {
				if err := t.markUnused(added.contents, abandonedAfter); err != nil {
					return err
				}
			}
			if err := t.enter(added); err != nil {
				return err
			}
			err := part(t)
			added = t.state.head
			return err
		}); err != nil {
			return err
		}
		written = true
	}
	err := s.update(ctx, world, nil, func(t *tx) error {
		before := t.state.head.contents
		err := t.markUnused(before, 0)
		if err == nil && written {
			err = t.markUsed(added.contents)
		}
		if err == nil {
			err = t.enter(added)
		}
		if err == nil {
			err = last(t)
		}
		if err == nil {
			t.show()
		}
		return err
	})
	shown = err == nil
	return err
}

// exec writes directly into the tables, after what the write buffers have.
func (t *tx) exec(query string, args []any, each func(scan func(...any) error) error) error {
	err := t.flush()
	t.setSavepoint()
	if err == nil {
		err = t.read(query, args, each)
	}
	return err
}

// markUnused has contents deleted, after a time.
func (t *tx) markUnused(contents string, after time.Duration) error {
	return t.exec(addUnused, []any{contents, timeText(time.Now().Add(after))}, nil)
}

// markUsed keeps contents from being deleted.
func (t *tx) markUsed(contents string) error {
	err := errGone
	failed := t.exec(removeUnused, []any{contents}, func(func(...any) error) error {
		err = nil
		return nil
	})
	return errors.Join(failed, err)
}

// enter has the transaction see contents that the world does not have yet.
func (t *tx) enter(contents head) error {
	if err := t.flush(); err != nil { // what is of the world itself is in the buffers of the state before
		return err
	}
	entered := newState(t.state.world, contents)
	entered.jobs = newJobWindow()
	entered.base, entered.shown = t.state.base, false
	entered.buffer, entered.flushed = newWriteBuffer(), map[recordKey]recordWrite{}
	t.group.hidden = append(t.group.hidden, entered)
	t.state, t.before = entered, contents
	return nil
}

// show makes the contents that the transaction sees those of the world.
func (t *tx) show() {
	g, w := t.group, t.state.world
	g.hidden = slices.DeleteFunc(g.hidden, func(s *state) bool { return s == t.state })
	g.hidden = append(g.hidden, g.states[w])
	g.states[w] = t.state
}

// A sweeper deletes the contents that no world has any more, as long as the store is open.
type sweeper struct {
	work chan struct{}
	stop context.CancelFunc
	done chan struct{}
}

// sweptWorld is no client's, as client ids have no control characters, so that the deletion holds up no world.
const sweptWorld = "\x01unused-contents"

// A transaction of the sweeper deletes sweepRows rows again and again, until sweepTime has passed. A row of a transfer
// has six indexes, and a record of a megabyte hundreds of pages.
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
			for name := s.unusedContents(ctx); name != "" && ctx.Err() == nil; name = s.unusedContents(ctx) {
				if s.update(ctx, sweptWorld, nil, func(t *tx) error { return t.sweep(name) }) != nil {
					break
				}
			}
		}
	}()
	return w
}

func (w *sweeper) wake() { signal(w.work) }

func (w *sweeper) close() {
	w.stop()
	<-w.done
}

// unusedContents returns the name of contents that can be deleted; empty: there are none, or the database fails.
func (s *Store) unusedContents(ctx context.Context) (name string) {
	ctx, cancel := context.WithTimeout(ctx, viewTimeout)
	defer cancel()
	_ = s.db.Query(ctx, nextUnused, []any{timeText(time.Now())}, func(scan func(...any) error) error {
		return scan(&name)
	})
	return name
}

// sweep deletes some rows of contents that no world has any more, or what is left to know of them if there are none.
func (t *tx) sweep(name string) error {
	began := time.Now()
	for _, each := range contentTables {
		for deleted := sweepRows; deleted == sweepRows; {
			if time.Since(began) >= sweepTime {
				return nil
			}
			deleted = 0
			// A comparison with the last of the rows uses the index; IN can become a comparison of each row with each.
			first := "SELECT " + each.key + " FROM " + each.table + " WHERE world = $1 ORDER BY " + each.key + " LIMIT $2"
			if err := t.exec("DELETE FROM "+each.table+" WHERE world = $1 AND ("+each.key+") <= (SELECT "+each.key+" FROM ("+
				first+") AS part ORDER BY "+strings.ReplaceAll(each.key, ",", " DESC,")+" DESC LIMIT 1) RETURNING 1",
				[]any{name, int64(sweepRows)}, func(func(...any) error) error {
					deleted++
					return nil
				}); err != nil {
				return err
			}
		}
	}
	return t.exec(removeUnused, []any{name}, nil)
}
