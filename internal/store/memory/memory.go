// Package memory keeps worlds in memory, for a service that leaves nothing behind.
//
// A world is its own transaction, since its lock admits one that writes or several that read. A write changes the world
// in place and remembers what was there before: Put replaces the record in its table and moves its slot between the
// indexes. What will hardly change any more, such as a settled transfer, is packed at the end of an Update: a million
// of them are bytes in a few thousand objects, so that garbage collection costs no more than in a small world. With its
// idempotency key, events and index entries, a settled transfer takes 600 to 700 bytes; as Go values they would take
// three times as many, in 12 objects.
//
//	memory.go            the store, its worlds and their transactions
//	table.go             the records of one type, which are packed when an Update ends
//	events.go, jobs.go   the events, and the jobs
//	slots.go             the numbers (slots) of records, and where each has its packed bytes
//	index.go, blocks.go  which slots have a value, in the order of the records' identifiers
//	package compact      the packed form, and the memory that holds it
package memory

import (
	"context"
	"errors"
	"hash/maphash"
	"iter"
	"maps"
	"sync"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory/compact"
)

// Store is a store.Store in memory.
type Store struct {
	hash   func(string) uint32 // of identifiers and other values that records are found by
	mu     sync.Mutex
	worlds map[string]*world
}

// New returns an empty store.
func New() *Store {
	seed := maphash.MakeSeed()
	return newStore(func(text string) uint32 { return uint32(maphash.String(seed, text)) })
}

func newStore(hash func(string) uint32) *Store {
	return &Store{hash: hash, worlds: map[string]*world{}}
}

// errReadOnly is returned for a write in a View.
var errReadOnly = errors.New("memory: write in a transaction that only reads")

// A world is the state of one client, and the store.Tx of its transactions, which mu orders.
type world struct {
	mu      sync.RWMutex
	hash    func(string) uint32
	clients *table[store.Client, *store.Client]
	tokens  *table[store.Token, *store.Token]
	worlds  *table[store.World, *store.World]
	*contents
	writing bool // in an Update
}

// contents are what Replace replaces in a world.
type contents struct {
	accounts  *table[store.Account, *store.Account]
	contacts  *table[store.Contact, *store.Contact]
	transfers *table[store.Transfer, *store.Transfer]
	keys      *table[store.Key, *store.Key]
	requests  *table[store.RequestBatch, *store.RequestBatch]
	events    *eventLog
	jobs      *jobQueue
	lastJob   uint64 // the number of the last job that was scheduled
}

// undoable is a part of a world that an Update changes in place. At its end either commit or rollBack is called.
type undoable interface {
	commit()
	rollBack()
}

// parts are all parts of the contents.
func (c *contents) parts() [7]undoable {
	return [...]undoable{c.accounts, c.contacts, c.transfers, c.keys, c.requests, c.events, c.jobs}
}

func (c *contents) commit() {
	for _, part := range c.parts() {
		part.commit()
	}
}

func (c *contents) rollBack() {
	for _, part := range c.parts() {
		part.rollBack()
	}
}

func newContents(w *world) *contents {
	dictionary := compact.NewDictionary()
	return &contents{
		accounts:  newTable[store.Account](w, dictionary, store.AccountColumns...),
		contacts:  newTable[store.Contact](w, dictionary, store.ContactColumns...),
		transfers: newTable[store.Transfer](w, dictionary, store.TransferColumns...),
		keys:      newLookup[store.Key](w, dictionary),
		requests:  newTable[store.RequestBatch](w, dictionary),
		events:    newEventLog(w, dictionary),
		jobs:      newJobQueue(),
	}
}

func (w *world) Accounts() store.Table[store.Account]      { return w.accounts }
func (w *world) Contacts() store.Table[store.Contact]      { return w.contacts }
func (w *world) Transfers() store.Table[store.Transfer]    { return w.transfers }
func (w *world) Keys() store.Table[store.Key]              { return w.keys }
func (w *world) Clients() store.Table[store.Client]        { return w.clients }
func (w *world) Tokens() store.Table[store.Token]          { return w.tokens }
func (w *world) Worlds() store.Table[store.World]          { return w.worlds }
func (w *world) Requests() store.Table[store.RequestBatch] { return w.requests }
func (w *world) Events() store.EventLog                    { return w.events }

// TransferByReference implements store.Tx.
func (w *world) TransferByReference(reference string) (*store.Transfer, error) {
	return w.transfers.least(store.ColumnReference, reference)
}

func (s *Store) world(name string) *world {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.worlds[name]
	if w == nil {
		w = &world{hash: s.hash}
		w.clients, w.tokens = newLookup[store.Client](w, nil), newLookup[store.Token](w, nil)
		w.worlds = newLookup[store.World](w, nil)
		w.contents = newContents(w)
		s.worlds[name] = w
	}
	return w
}

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
	w.writing = true
	before, committed := w.contents, false
	defer func() { // also when fn panics
		if !committed {
			w.contents = before
		}
		for _, part := range [...]undoable{w.clients, w.tokens, w.worlds, w.contents} {
			if committed {
				part.commit()
			} else {
				part.rollBack()
			}
		}
		w.writing = false
	}()
	err := fn(w)
	committed = err == nil
	return err
}

// maxReusable is the most elements of a slice that is kept for the next Update.
const maxReusable = 4096

// reusable returns an empty slice with the memory of another one, unless that is large.
func reusable[E any](slice []E) []E {
	if cap(slice) > maxReusable {
		return nil
	}
	clear(slice)
	return slice[:0]
}

// Replace implements store.Store. It is one update, for which only requests to the same world wait.
func (s *Store) Replace(
	ctx context.Context, name string, parts iter.Seq[func(store.Tx) error], last func(store.Tx) error,
) error {
	w := s.world(name)
	return w.update(func(tx store.Tx) error {
		lastJob := w.lastJob
		w.contents = newContents(w)
		w.lastJob = lastJob
		for part := range parts {
			err := ctx.Err()
			if err == nil {
				err = part(tx)
			}
			if err != nil {
				return err
			}
			w.contents.commit() // so that what it wrote is packed; a failure drops it with all new contents
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
