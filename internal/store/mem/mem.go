// Package mem keeps worlds in memory, for a service that leaves nothing behind.
package mem

import (
	"context"
	"sync"

	"github.com/payctl/payctl/internal/store"
)

// Store is a store.Store in memory.
type Store struct {
	mu     sync.Mutex
	worlds map[string]*world
}

// New returns an empty store.
func New() *Store { return &Store{worlds: map[string]*world{}} }

// world is the state of one client. mu orders its transactions.
type world struct {
	mu        sync.RWMutex
	accounts  *table[store.Account, *store.Account]
	contacts  *table[store.Contact, *store.Contact]
	transfers *table[store.Transfer, *store.Transfer]
	keys      *table[store.Key, *store.Key]
	clients   *table[store.Client, *store.Client]
	tokens    *table[store.Token, *store.Token]
	worlds    *table[store.World, *store.World]
	jobs      jobs
	events    eventLog
}

func newWorld() *world {
	return &world{
		accounts:  newTable[store.Account](store.AccountColumns),
		contacts:  newTable[store.Contact](store.ContactColumns),
		transfers: newTable[store.Transfer](store.TransferColumns),
		keys:      newLookup[store.Key](),
		clients:   newLookup[store.Client](),
		tokens:    newLookup[store.Token](),
		worlds:    newLookup[store.World](),
		jobs:      newJobs(0),
	}
}

func (s *Store) world(name string) *world {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.worlds[name]
	if w == nil {
		w = newWorld()
		s.worlds[name] = w
	}
	return w
}

// Update implements store.Store.
func (s *Store) Update(ctx context.Context, name string, fn func(store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := s.world(name)
	w.mu.Lock()
	defer w.mu.Unlock()
	tx := newTx(w, true)
	committed := false
	defer func() { // also when fn panics
		if !committed {
			tx.rollback()
		}
		tx.end()
	}()
	if err := fn(tx); err != nil {
		return err
	}
	committed = true
	return nil
}

// View implements store.Store.
func (s *Store) View(ctx context.Context, name string, fn func(store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := s.world(name)
	w.mu.RLock()
	defer w.mu.RUnlock()
	tx := newTx(w, false)
	defer tx.end()
	return fn(tx)
}

// Close implements store.Store. There is nothing to release.
func (s *Store) Close() error { return nil }
