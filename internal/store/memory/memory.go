// Package memory keeps worlds in memory. What outlives the process is also in the database of a folder, the log. An
// update is acknowledged, and shown by other transactions, when the log has committed it. Many updates share a commit.
// If a commit fails, the worlds that it changed are dropped and read again.
package memory

import (
	"context"
	"sync"

	"github.com/payctl/payctl/internal/store"
)

// A Store is a store in memory. Transactions of different worlds do not wait for each other, but for the log.
type Store struct {
	log *diskLog // nil: nothing outlives the process

	mu       sync.Mutex
	worlds   map[string]*world
	recorded map[string]bool // the worlds that have a record
}

var _ store.Store = (*Store)(nil)

// New returns a store without a folder.
func New() *Store { return &Store{worlds: map[string]*world{}, recorded: map[string]bool{}} }

// Open returns a store whose worlds are also in a folder, which it creates if necessary. The error is ErrInUse,
// ErrNewer, ErrForeign, a *LossError if acknowledged data is missing, a *securefile.Error if another user could read or
// change what is kept in the folder, or the system's.
func Open(ctx context.Context, folder string) (*Store, error) {
	log, err := openLog(ctx, folder)
	if err != nil {
		return nil, err
	}
	s := New()
	s.log = log
	for _, name := range log.Worlds {
		s.recorded[name] = true
	}
	return s, nil
}

func (s *Store) world(name string) *world {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.worlds[name]
	if w == nil {
		w = &world{name: name, log: s.log}
		w.clear()
		w.loaded = s.log == nil
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
	recorded, commit, err := w.update(fn)
	if commit != nil {
		if failed := commit.Wait(); failed != nil {
			return store.Unavailable(failed)
		}
	}
	if recorded {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.recorded[name] = true
	}
	return err
}

// viewAttempts is how often a view runs if commits of the data it read fail.
const viewAttempts = 3

// View implements store.Store.
func (s *Store) View(ctx context.Context, name string, fn func(store.Tx) error) error {
	w := s.world(name)
	var failed error
	for range viewAttempts {
		if err := ctx.Err(); err != nil {
			return err
		}
		commit, err := w.view(fn)
		if commit == nil {
			return err
		}
		if failed = commit.Wait(); failed == nil {
			return err
		}
	}
	return store.Unavailable(failed)
}

// HasRoom implements store.Store.
func (s *Store) HasRoom(ctx context.Context, name string, most int) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recorded[name] || len(s.recorded) < most, ctx.Err()
}

// Watch implements store.Store. No other process changes the worlds.
func (*Store) Watch(string) (changed <-chan struct{}, stop func()) { return nil, func() {} }

// Ready implements store.Store. It makes a commit without changes.
func (s *Store) Ready(context.Context) error {
	if s.log == nil {
		return nil
	}
	if err := s.log.Append(nil, nil).Wait(); err != nil {
		return store.Unavailable(err)
	}
	return nil
}

// Close implements store.Store.
func (s *Store) Close() error {
	if s.log == nil {
		return nil
	}
	return s.log.Close()
}
