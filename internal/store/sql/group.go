package sql

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"time"
)

// A group is updates that are committed together.
type group struct {
	store   *Store
	updates []*update
	conn    Conn
	id      string
	states  map[*world]*state // what the updates see of their worlds
	// hidden are the states of contents that their worlds do not show, or not any more.
	hidden     []*state
	prefetched time.Time // when the prefetch began
	flushed    bool      // the tables have writes of the group
	rows       map[*Insertion][][]any
	order      []*Insertion
}

// commitIDLength makes it practically impossible that two of the kept ids of a world are the same.
const commitIDLength = 12

// defaultGroupTime is how long a group goes on to begin updates, since each waits for all of it.
const defaultGroupTime = 50 * time.Millisecond

// commitGroup runs updates in one transaction. It returns those that it began, which share the error, and the rest.
func (s *Store) commitGroup(ctx context.Context, updates []*update) (began, rest []*update, err error) {
	g := &group{store: s, updates: updates, states: map[*world]*state{}, rows: map[*Insertion][][]any{}}
	defer func() {
		if g.conn != nil {
			g.conn.Rollback()
		}
	}()
	if err := g.begin(ctx); err != nil {
		return nil, g.updates, err
	}
	ends := time.Now().Add(s.maxGroupTime)
	for i, u := range g.updates {
		if i > 0 && !time.Now().Before(ends) {
			rest = g.updates[i:]
			break
		}
		if g.run(u) {
			began = append(began, u)
		}
	}
	if s.dialect.Remote {
		for w := range g.states {
			w.setGroupTime(time.Since(g.prefetched))
		}
	}
	return began, rest, g.commit()
}

// begin begins the transaction and locks the heads of the updates' worlds, on a second connection if the first one
// fails.
func (g *group) begin(ctx context.Context) error {
	err := g.lock(ctx)
	if err != nil && g.store.db.Retriable(err) && ctx.Err() == nil {
		err = g.lock(ctx)
	}
	return err
}

// lock begins a transaction on another connection, locks the heads of the updates' worlds, and fetches what the updates
// need: in one round trip, or in two if another process changes a world. Then the lock is waited for, and the updates
// that have come meanwhile join the group.
func (g *group) lock(ctx context.Context) (err error) {
	if g.conn != nil {
		g.conn.Rollback()
	}
	if g.conn, err = g.store.db.Begin(ctx); err != nil {
		g.conn = nil
		return err
	}
	found, prefetched := map[*world]*head{}, map[*world]*prefetch{}
	for _, u := range g.updates {
		if found[u.world] != nil {
			continue
		}
		found[u.world] = &head{}
		g.store.queueLock(g.conn, u.world.name, u.world.cachedHead().version, found[u.world])
		if g.store.dialect.Remote && !u.world.isContended() {
			prefetched[u.world] = g.prefetch(u.world, u.world.cachedHead())
		}
	}
	if err := g.conn.Send(); err != nil {
		return err
	}
	for w, h := range found {
		if p := prefetched[w]; g.store.dialect.Remote && (p == nil || !p.isValidAt(*h)) {
			g.updates = append(g.updates, w.queue.join(maxUpdates-len(g.updates))...)
			prefetched[w] = g.prefetch(w, *h)
		}
	}
	if err := g.conn.Send(); err != nil {
		return err
	}
	for w, h := range found {
		g.states[w] = w.stateAt(*h, prefetched[w])
	}
	return nil
}

// run lets an update run, unless its caller has stopped waiting.
func (g *group) run(u *update) (began bool) {
	t := &tx{store: g.store, conn: g.conn, group: g, state: g.states[u.world], own: newWriteBuffer()}
	t.before = t.state.head
	select {
	case u.turn <- t:
		<-u.ran
		t.finish(u.kept)
		return true
	case <-u.ctx.Done():
		return false
	}
}

// changes returns the states of the group with changes, which are to be committed, with their heads for that.
func (g *group) changes() (changed []*state) {
	for _, s := range g.states {
		if s.changed > 0 {
			s.head.version = s.base.version + 1
			s.head.addCommit(g.id)
			changed = append(changed, s)
		}
	}
	return changed
}

// commit writes what the updates have changed, and commits it.
func (g *group) commit() error {
	g.id = rand.Text()[:commitIDLength]
	changed := g.changes()
	if len(changed) == 0 {
		return g.conn.Send() // an update may have ignored a failure
	}
	midway, began := g.flushed, time.Now() // a transaction that has written midway cannot be repeated
	updates := 0
	for _, s := range changed {
		updates += s.changed
		s.world.mu.Lock()
		s.world.committing = make(chan struct{})
		s.world.mu.Unlock()
	}
	err := g.write(changed, updates)
	if err != nil && (g.store.db.Retriable(err) || errors.Is(err, ErrOutcomeUnknown)) {
		err = g.retry(changed, updates, midway, err)
	}
	if err == nil {
		g.store.observe(began, updates)
	}
	for _, s := range changed {
		maps.Copy(s.flushed, s.buffer.records)
		s.world.mu.Lock()
		if err != nil {
			s.world.cache.reset(unknownHead)
		} else {
			s.world.cache.commit(s)
		}
		close(s.world.committing)
		s.world.committing = nil
		s.world.mu.Unlock()
	}
	return err
}

// write writes the buffers and the heads, and commits, in one round trip. The buffers stay as they are.
func (g *group) write(changed []*state, updates int) error {
	for _, s := range append(changed[:len(changed):len(changed)], g.hidden...) {
		s.buffer.queueWrites(g, s)
	}
	g.sendInsertions()
	for _, s := range changed {
		s.head.queueUpdate(g.conn, s.world.name)
	}
	return g.conn.Commit(updates)
}

// retry finds out on another connection what became of a transaction that failed for a reason which may be gone. If it
// was not committed, retry repeats it, unless another process has changed one of the worlds meanwhile.
func (g *group) retry(changed []*state, updates int, midway bool, cause error) error {
	g.conn.Rollback()
	ctx, cancel := context.WithTimeout(context.Background(), groupTimeout) // the group may have used up its own time
	defer cancel()
	conn, err := g.store.db.Begin(ctx)
	if err != nil {
		return fmt.Errorf("%w; then: %w", cause, err)
	}
	g.conn = conn
	heads := make([]head, len(changed))
	for i, s := range changed {
		g.store.queueLock(conn, s.world.name, s.base.version, &heads[i])
	}
	if err := conn.Send(); err != nil {
		return fmt.Errorf("%w; then: %w", cause, err)
	}
	for i, s := range changed {
		switch {
		case heads[i].hasCommit(g.id):
			return nil
		case heads[i] != s.base || midway:
			return cause
		}
	}
	return g.write(changed, updates)
}

// insert collects a row for sendInsertions.
func (g *group) insert(into *Insertion, row []any) {
	if g.rows[into] == nil {
		g.order = append(g.order, into)
	}
	g.rows[into] = append(g.rows[into], row)
}

// sendInsertions queues the insertion of the rows that were collected.
func (g *group) sendInsertions() {
	for _, into := range g.order {
		g.conn.Insert(into, g.rows[into])
	}
	g.order = nil
	clear(g.rows)
}
