package sql

import (
	"context"
	"errors"
	"maps"

	"github.com/payctl/payctl/internal/store"
)

// errReadOnly is returned for a write in a View.
var errReadOnly = errors.New("sql: write in a transaction that only reads")

// tx is a store.Tx: an update within a group, or a view.
type tx struct {
	store *Store
	conn  Conn // nil: a view that has read nothing yet but from the cache
	state *state

	// What only a view has.
	caller context.Context    //nolint:containedctx // its end is not a failure of the database
	cancel context.CancelFunc // ends what bounds its transaction

	// What only an update has.
	group      *group // nil: the transaction is a view
	own        *writeBuffer
	before     head                      // what it found
	ownFlushed map[recordKey]recordWrite // what the tables have of its own writes, after the savepoint
	savepoint  bool
}

// A state is what a transaction sees of a world's contents.
type state struct {
	world  *world
	head   head // with the numbers that updates have given
	base   head // at which the transaction began
	shown  bool // these contents are the world's, and so the cache is about them
	locked bool // the world is locked for reading, by a view of the cache

	buffer  *writeBuffer              // writes of updates that have succeeded
	flushed map[recordKey]recordWrite // writes that are in the tables and not committed
	jobs    jobWindow
	latest  map[*schema]record // that have the greatest identifiers in the tables, as far as they were fetched; nil: none
	changed int                // updates that wrote something
}

// newState returns what a transaction sees that found a head. The caller sets the jobs.
func newState(w *world, h head) *state { return &state{world: w, head: h, base: h, shown: true} }

func (t *tx) writes() bool { return t.group != nil }

// fail is the error of a statement. The connection sends nothing more after it, so that the whole group fails, also if
// fn ignores the error.
func (t *tx) fail(err error) error {
	switch {
	case err == nil:
		return nil
	case t.writes():
		return store.Unavailable(err)
	}
	return unavailable(t.caller, err)
}

// read runs a query that returns what is committed, and what the transaction has flushed.
func (t *tx) read(query string, args []any, each func(scan func(...any) error) error) error {
	if t.conn == nil {
		if err := t.beginView(); err != nil {
			return err
		}
	}
	var failed error // of each, which is no failure of the database
	t.conn.Queue(query, args, func(scan func(...any) error) error {
		if failed == nil && each != nil {
			failed = each(scan)
		}
		return nil
	})
	if err := t.conn.Send(); err != nil {
		return t.fail(err)
	}
	return failed
}

// query is read for a query of several rows, which sees all that the transaction wrote.
func (t *tx) query(query string, args []any, each func(scan func(...any) error) error) error {
	if err := t.flush(); err != nil {
		return err
	}
	return t.read(query, args, each)
}

// cached calls use with the cache, if that is about what the transaction sees. No other goroutine changes it meanwhile.
func (s *state) cached(use func(*cache)) {
	w := s.world
	switch {
	case !s.shown:
	case s.locked:
		use(&w.cache)
	default:
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.cache.head == s.base {
			use(&w.cache)
		}
	}
}

// written returns the records that the update and those before it in the group have written, the latest first.
func (t *tx) written() [4]map[recordKey]recordWrite {
	return [...]map[recordKey]recordWrite{t.own.records, t.ownFlushed, t.state.buffer.records, t.state.flushed}
}

// known returns the latest state of a record; nil: there is none. If known is false, only the table may have it.
func (t *tx) known(key recordKey) (r record, known bool) {
	if t.writes() {
		for _, writes := range t.written() {
			if write, ok := writes[key]; ok {
				return write.record, true
			}
		}
	}
	t.state.cached(func(c *cache) { r, known = c.get(key) })
	return r, known
}

// remember puts a record that was read into the cache; nil: the table has none.
func (t *tx) remember(key recordKey, r record, bytes int) {
	t.state.cached(func(c *cache) { c.put(key, r, bytes) })
}

// put adds a write of a record to the buffer.
func (t *tx) put(key recordKey, write recordWrite) error {
	if !t.writes() {
		return errReadOnly
	}
	t.own.set(key, write)
	return t.flushIfFull()
}

// flushIfFull bounds the memory that a large transaction takes.
func (t *tx) flushIfFull() error {
	if t.own.full() {
		return t.flush()
	}
	return nil
}

// flush writes what is buffered of the world into the tables: what the updates before have written, and after a
// savepoint the writes of this one.
func (t *tx) flush() error {
	if !t.writes() {
		return nil
	}
	t.state.flush(t.group)
	t.group.sendInsertions()
	if !t.own.empty() {
		t.setSavepoint()
		own := *t.own
		*t.own = *newWriteBuffer()
		own.queueWrites(t.group, t.state)
		t.group.sendInsertions()
		maps.Copy(t.ownFlushed, own.records)
	}
	return t.fail(t.conn.Send())
}

// setSavepoint has what the update writes into the tables from now on undone if it fails.
func (t *tx) setSavepoint() {
	if !t.savepoint {
		t.savepoint, t.ownFlushed, t.group.flushed = true, map[recordKey]recordWrite{}, true
		t.conn.Queue("SAVEPOINT one", nil, nil)
	}
}

// finish keeps what the update wrote, or undoes it.
func (t *tx) finish(keep bool) {
	s := t.state
	switch {
	case keep:
		if t.savepoint || !t.own.empty() || s.head != t.before {
			t.group.states[s.world].changed++
		}
		if t.savepoint {
			t.conn.Queue("RELEASE SAVEPOINT one", nil, nil)
		}
		maps.Copy(s.flushed, t.ownFlushed)
		s.buffer.merge(t.own)
		if s.buffer.full() {
			s.flush(t.group)
			t.group.sendInsertions()
		}
	case t.savepoint:
		t.conn.Queue("ROLLBACK TO SAVEPOINT one", nil, nil)
		t.conn.Queue("RELEASE SAVEPOINT one", nil, nil)
		s.jobs = newJobWindow() // the tables have all jobs since then
	default:
		s.jobs.undo(t.own)
	}
	if !keep {
		s.head = t.before
	}
}

func tableIn[T any, P store.Record[T]](t *tx, s *schema) store.Table[T] { return table[T, P]{t, s} }

func (t *tx) Accounts() store.Table[store.Account] {
	return tableIn[store.Account](t, t.store.schemas.accounts)
}
func (t *tx) Contacts() store.Table[store.Contact] {
	return tableIn[store.Contact](t, t.store.schemas.contacts)
}
func (t *tx) Transfers() store.Table[store.Transfer] {
	return tableIn[store.Transfer](t, t.store.schemas.transfers)
}
func (t *tx) Keys() store.Table[store.Key] { return tableIn[store.Key](t, t.store.schemas.keys) }
func (t *tx) Clients() store.Table[store.Client] {
	return tableIn[store.Client](t, t.store.schemas.clients)
}
func (t *tx) Tokens() store.Table[store.Token] {
	return tableIn[store.Token](t, t.store.schemas.tokens)
}
func (t *tx) Worlds() store.Table[store.World] {
	return tableIn[store.World](t, t.store.schemas.worlds)
}
func (t *tx) Requests() store.Table[store.RequestBatch] {
	return tableIn[store.RequestBatch](t, t.store.schemas.requests)
}

// TransferByReference implements store.Tx. The tables and the buffers each know a transfer, and the one with the lesser
// identifier counts, unless a write in the buffers has removed it or changed its reference. That is rare: then the
// buffers are flushed, and the tables alone are right.
func (t *tx) TransferByReference(reference string) (*store.Transfer, error) {
	id, err := t.idByReference(reference)
	if err != nil {
		return nil, err
	}
	if t.writes() {
		for _, buffer := range []*writeBuffer{t.own, t.state.buffer} {
			if known, ok := buffer.references[reference]; ok && (id == "" || known < id) {
				id = known
			}
		}
	}
	transfer, err := t.transferWith(id, reference)
	if id == "" || !t.writes() || !errors.Is(err, store.ErrNotFound) {
		return transfer, err
	}
	if err := t.flush(); err != nil {
		return nil, err
	}
	if id, err = t.idByReference(reference); err != nil {
		return nil, err
	}
	return t.transferWith(id, reference)
}

// idByReference is the least identifier of a transfer in the tables that has a reference; empty: there is none.
func (t *tx) idByReference(reference string) (id string, err error) {
	flushed := t.writes() && len(t.state.flushed)+len(t.ownFlushed) > 0 // then the cache is behind the tables
	known := false
	if !flushed {
		t.state.cached(func(c *cache) { id, known = c.references[reference] })
	}
	if known {
		return id, nil
	}
	err = t.read(selectReference, []any{t.state.head.contents, reference}, func(scan func(...any) error) error {
		return scan(&id)
	})
	if err == nil && !flushed {
		t.state.cached(func(c *cache) { c.putReference(reference, id) })
	}
	return id, err
}

const selectReference = "SELECT id FROM transfers WHERE world = $1 AND reference = $2 ORDER BY id LIMIT 1"

// transferWith returns the transfer with an identifier, if it has the reference; otherwise the error is ErrNotFound.
func (t *tx) transferWith(id, reference string) (*store.Transfer, error) {
	if id == "" {
		return nil, store.ErrNotFound
	}
	transfer, err := t.Transfers().Get(id)
	if err == nil && transfer.Reference != reference {
		return nil, store.ErrNotFound
	}
	return transfer, err
}
