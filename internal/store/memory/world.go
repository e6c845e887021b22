package memory

import (
	"sync"

	"github.com/payctl/payctl/internal/store"
)

// A world is the documents of one client.
type world struct {
	name string
	log  *diskLog // nil: there is none

	mu     sync.RWMutex // held while a transaction runs
	loaded bool         // the documents are in memory
	tables []*table     // by the numbers of kinds
	room   []change     // for the changes of an update
	last   *logCommit
}

// clear removes all documents.
func (w *world) clear() {
	w.tables = make([]*table, len(store.Collections))
	for i, collection := range store.Collections {
		w.tables[i] = &table{collection: collection}
	}
	w.last = nil
}

// update runs fn. Wait for the commit before anybody learns what happened. Nil means there is nothing to wait for.
// Recorded reports whether the world has a record.
func (w *world) update(fn func(store.Tx) error) (recorded bool, commit *logCommit, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.load(); err != nil {
		return false, nil, store.Unavailable(err)
	}
	tx := &transaction{world: w, writes: true, changes: w.room}
	kept := false
	defer func() { // also when fn panics
		if !kept {
			tx.undo()
		}
		clear(tx.changes)
		w.room = tx.changes[:0]
	}()
	if err := fn(store.Tx{Documents: tx}); err != nil {
		return false, w.pending(), err
	}
	if w.log != nil && len(tx.changes) > 0 {
		logged, err := tx.logged()
		if err != nil {
			return false, w.pending(), err
		}
		w.last = w.log.Append(w.last, logged)
	}
	kept = true
	return w.tables[store.WorldCollection.Number].byID.Len() > 0, w.pending(), nil
}

// view runs fn. Wait for the commit before anybody learns what fn read. Nil means there is nothing to wait for.
func (w *world) view(fn func(store.Tx) error) (*logCommit, error) {
	w.mu.RLock()
	for w.isStale() {
		w.mu.RUnlock()
		w.mu.Lock()
		err := w.load()
		w.mu.Unlock()
		if err != nil {
			return nil, store.Unavailable(err)
		}
		w.mu.RLock()
	}
	defer w.mu.RUnlock()
	err := fn(store.Tx{Documents: &transaction{world: w}})
	return w.pending(), err
}

// pending returns the last commit of the world, unless it has succeeded.
func (w *world) pending() *logCommit {
	if w.last != nil {
		if ended, err := w.last.Ended(); ended && err == nil {
			return nil
		}
	}
	return w.last
}

// isStale reports whether the documents in memory differ from those in the log.
func (w *world) isStale() bool {
	if w.loaded && w.last != nil {
		_, err := w.last.Ended()
		return err != nil
	}
	return !w.loaded
}

// load reads the world from the log, the first time and after a failed commit. The caller must hold the lock.
func (w *world) load() error {
	if !w.isStale() {
		return nil
	}
	w.loaded = false
	w.clear()
	err := w.log.Load(w.name, func(collection *store.Collection, document store.Document) {
		w.tables[collection.Number].set(document.DocumentID(), document)
	})
	w.loaded = err == nil
	return err
}
