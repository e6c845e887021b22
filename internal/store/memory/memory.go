// Package memory keeps worlds in memory, for a service that leaves nothing behind.
//
// A world is its own transaction, since its lock admits one that writes or several that read. A write changes the world
// in place and remembers how to undo it: Put replaces the record in its table's map and moves its identifier between
// the indexes.
package memory

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/tidwall/btree"

	"github.com/payctl/payctl/internal/store"
)

// Store is a store.Store in memory.
type Store struct {
	mu     sync.Mutex
	worlds map[string]*world
}

// New returns an empty store.
func New() *Store { return &Store{worlds: map[string]*world{}} }

// errReadOnly is returned for a write in a View.
var errReadOnly = errors.New("memory: write in a transaction that only reads")

// A world is the state of one client, and the store.Tx of its transactions, which mu orders.
type world struct {
	mu      sync.RWMutex
	clients table[store.Client, *store.Client]
	tokens  table[store.Token, *store.Token]
	worlds  table[store.World, *store.World]
	contents
	writing bool     // in an Update
	undo    []func() // undoes the writes of the Update except those to events, in their order
}

// contents are what Replace replaces in a world.
type contents struct {
	accounts  table[store.Account, *store.Account]
	contacts  table[store.Contact, *store.Contact]
	transfers table[store.Transfer, *store.Transfer]
	keys      table[store.Key, *store.Key]
	requests  table[store.RequestBatch, *store.RequestBatch]
	events    eventLog
	jobs      *btree.BTreeG[numberedJob]
	lastJob   uint64 // the number of the last job that was scheduled
}

func newContents(w *world) contents {
	return contents{
		accounts:  newTable[store.Account](w, store.AccountColumns...),
		contacts:  newTable[store.Contact](w, store.ContactColumns...),
		transfers: newTable[store.Transfer](w, store.TransferColumns...),
		keys:      newLookup[store.Key](w),
		requests:  newTable[store.RequestBatch](w),
		events:    newEventLog(w),
		jobs:      btree.NewBTreeGOptions(numberedJob.before, btree.Options{NoLocks: true}), // the world has a lock
	}
}

func (w *world) Accounts() store.Table[store.Account]      { return &w.accounts }
func (w *world) Contacts() store.Table[store.Contact]      { return &w.contacts }
func (w *world) Transfers() store.Table[store.Transfer]    { return &w.transfers }
func (w *world) Keys() store.Table[store.Key]              { return &w.keys }
func (w *world) Clients() store.Table[store.Client]        { return &w.clients }
func (w *world) Tokens() store.Table[store.Token]          { return &w.tokens }
func (w *world) Worlds() store.Table[store.World]          { return &w.worlds }
func (w *world) Requests() store.Table[store.RequestBatch] { return &w.requests }
func (w *world) Events() store.EventLog                    { return &w.events }

// TransferByReference implements store.Tx.
func (w *world) TransferByReference(reference string) (*store.Transfer, error) {
	return w.transfers.Get(w.transfers.least(store.ColumnReference, reference))
}

func (s *Store) world(name string) *world {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.worlds[name]
	if w == nil {
		w = &world{}
		w.clients, w.tokens, w.worlds = newLookup[store.Client](w), newLookup[store.Token](w), newLookup[store.World](w)
		w.contents = newContents(w)
		s.worlds[name] = w
	}
	return w
}

// usualWrites is room for the writes of most updates, of which a transfer's creation makes the most.
const usualWrites = 16

// Update implements store.Store.
func (s *Store) Update(ctx context.Context, name string, fn func(store.Tx) error, _ ...store.Need) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.world(name).update(fn)
}

func (w *world) update(fn func(store.Tx) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writing, w.undo = true, make([]func(), 0, usualWrites)
	events, committed := w.events, false
	defer func() { // also when fn panics
		if !committed {
			for _, undo := range slices.Backward(w.undo) {
				undo()
			}
			w.events.rollBack(events)
		}
		w.writing, w.undo = false, nil
	}()
	err := fn(w)
	committed = err == nil
	return err
}

// Replace implements store.Store. It is one update, for which only requests to the same world wait.
func (s *Store) Replace(
	ctx context.Context, name string, parts iter.Seq[func(store.Tx) error], last func(store.Tx) error,
) error {
	w := s.world(name)
	return w.update(func(tx store.Tx) error {
		before := w.contents
		w.undo = append(w.undo, func() { w.contents = before })
		w.contents = newContents(w)
		w.lastJob = before.lastJob
		for part := range parts {
			err := ctx.Err()
			if err == nil {
				err = part(tx)
			}
			if err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return last(tx)
	})
}

// View implements store.Store.
func (s *Store) View(ctx context.Context, name string, fn func(store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := s.world(name)
	w.mu.RLock()
	defer w.mu.RUnlock()
	return fn(w)
}

// HasRoom implements store.Store.
func (s *Store) HasRoom(ctx context.Context, name string, most int) (bool, error) {
	s.mu.Lock()
	worlds := maps.Clone(s.worlds)
	s.mu.Unlock()
	recorded := 0
	for other, w := range worlds {
		w.mu.RLock()
		_, err := w.worlds.Get(store.WorldID)
		w.mu.RUnlock()
		if err == nil && other == name {
			return true, ctx.Err()
		}
		if err == nil {
			recorded++
		}
	}
	return recorded < most, ctx.Err()
}

// Watch implements store.Store. No other process can change the worlds.
func (s *Store) Watch(string) (changed <-chan struct{}, stop func()) { return nil, func() {} }

// Close implements store.Store. There is nothing to release.
func (s *Store) Close() error { return nil }
