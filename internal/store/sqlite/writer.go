package sqlite

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/store"
)

// Bounds of a batch: whoever is in it waits for all of it.
const (
	maxMembers = 256
	maxAge     = 50 * time.Millisecond
)

// A batch is updates that are committed together.
type batch struct {
	members int
	ends    time.Time     // when it is time to commit it
	failure error         // why the database cannot go on with it
	done    chan struct{} // closed at the end; then failure says how it ended
}

func (b *batch) full() bool {
	return b.failure != nil || b.members >= maxMembers || time.Now().After(b.ends)
}

// The writer is the connection that writes, and whose turn it is on it.
type writer struct {
	open   func(context.Context) (*connection, error)
	kinds  *kinds
	maxAge time.Duration // of a batch

	mu      sync.Mutex
	taken   bool            // somebody has the turn
	waiting []chan struct{} // those who wait for it, the first come first; closing tells that it is theirs
	closed  bool

	// What follows belongs to whoever has the turn.
	connection *connection // nil: not opened yet, or given up after a failure
	cache      *cache      // of what the connection has seen
	batch      *batch      // nil: none is under way
	layer      *layer      // what the batch wrote
	log        checkpointer
}

// update runs fn in the present batch and waits for the batch's commit. A refusal waits too: it may rest on what another
// update of the batch wrote.
func (w *writer) update(ctx context.Context, world string, fn func(store.Tx) error) error {
	if err := w.take(ctx); err != nil {
		return err
	}
	b, wrote, err := w.join(ctx, world, fn)
	if b == nil {
		return err
	}
	for _, document := range wrote { // while others have their turn
		document.text()
	}
	<-b.done
	if b.failure != nil {
		return store.Unavailable(b.failure)
	}
	return err
}

// join runs fn within a batch, in the caller's goroutine, and passes the turn. The batch is nil when none could begin. It
// returns the documents that the batch needs when it is committed.
func (w *writer) join(ctx context.Context, world string, fn func(store.Tx) error) (*batch, []*document, error) {
	defer w.pass()
	if err := w.begin(ctx); err != nil {
		return nil, nil, failed(ctx, err)
	}
	b := w.batch
	b.members++
	patient := context.WithoutCancel(ctx)
	t := &tx{ctx: patient, lists: patient, kinds: w.kinds, connection: w.connection, world: world,
		writes: true, cache: w.cache, batch: w.layer, own: newLayer()}
	keep := false
	defer func() { // also when fn panics
		t.end(keep)
		if t.failure != nil {
			b.failure = t.failure
		}
	}()
	if err := fn(t); err != nil {
		return b, nil, err
	}
	keep = true
	return b, t.own.documents(), nil
}

// begin begins a batch when none is under way.
func (w *writer) begin(ctx context.Context) error {
	if w.batch != nil {
		return nil
	}
	if w.connection == nil {
		c, err := w.open(ctx)
		if err != nil {
			return err
		}
		w.connection, w.cache = c, newCache()
	}
	if err := w.lock(ctx); err != nil {
		w.discard()
		return err
	}
	w.batch, w.layer = &batch{ends: time.Now().Add(w.maxAge), done: make(chan struct{})}, newLayer()
	return nil
}

// lock begins a transaction that writes. What another process wrote meanwhile makes the cache worthless.
func (w *writer) lock(ctx context.Context) error {
	if err := w.connection.exec(ctx, beginUpdate); err != nil {
		return err
	}
	var version int64
	if err := w.connection.row(context.WithoutCancel(ctx), dataVersion, nil, &version); err != nil {
		return err
	}
	w.cache.settle(version)
	return nil
}

// commit ends the batch.
func (w *writer) commit() {
	b := w.batch
	w.batch = nil
	writes := w.layer.size()
	if b.failure == nil {
		b.failure = w.layer.flush(context.Background(), w.connection, w.cache)
	}
	committing := b.failure == nil
	if committing {
		b.failure = w.connection.exec(context.Background(), "COMMIT")
	}
	if b.failure != nil {
		if committing {
			w.bury()
		}
		w.discard() // which takes back what the database has not taken back itself
		close(b.done)
		return
	}
	close(b.done)
	w.log.wrote(writes, w.connection)
}

// bury writes a commit that changes nothing over one that failed. That one may stand in the log as a whole where only the disk
// did not confirm it, and whoever opens the file next would take it for committed. This connection alone is sure to know better.
func (w *writer) bury() {
	_ = w.connection.exec(context.Background(), "ROLLBACK") // where that has not come about by itself
	for _, statement := range []string{beginUpdate, writeNothing, "COMMIT"} {
		if w.connection.exec(context.Background(), statement) != nil {
			return
		}
	}
}

// discard gives the connection up. The next batch opens another, so that a failure leaves nothing behind.
func (w *writer) discard() {
	w.connection.discard()
	w.connection = nil
}

// take waits for the turn.
func (w *writer) take(ctx context.Context) error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return store.Unavailable(errClosed)
	}
	if !w.taken {
		w.taken = true
		w.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	w.waiting = append(w.waiting, turn)
	w.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	w.mu.Lock()
	place := slices.Index(w.waiting, turn)
	if place >= 0 {
		w.waiting = slices.Delete(w.waiting, place, place+1)
	}
	w.mu.Unlock()
	if place < 0 { // the turn came meanwhile, and a batch may count on it
		w.pass()
	}
	return ctx.Err()
}

// pass gives the turn to the next who waits, after a commit when the batch is full or nobody waits who could join it.
func (w *writer) pass() {
	for !w.passed() {
		w.commit()
	}
}

// passed gives the turn away, unless the batch has to be committed first.
func (w *writer) passed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.batch != nil && (len(w.waiting) == 0 || w.batch.full()) {
		return false
	}
	if len(w.waiting) == 0 {
		w.taken = false
		return true
	}
	close(w.waiting[0])
	w.waiting = slices.Delete(w.waiting, 0, 1)
	return true
}

// shut keeps others out, waits for everybody who waits, and returns the connection; nil when there is none.
func (w *writer) shut() *connection {
	w.mu.Lock()
	w.closed = true
	if w.taken {
		turn := make(chan struct{})
		w.waiting = append(w.waiting, turn)
		w.mu.Unlock()
		<-turn
	} else {
		w.taken = true
		w.mu.Unlock()
	}
	if w.batch != nil {
		w.commit()
	}
	w.log.wait()
	return w.connection
}
