package sql

import (
	"time"

	"github.com/payctl/payctl/internal/store"
)

var _ store.ObservableStore = (*Store)(nil)

// A PooledDatabase is a Database to which there is a limited number of connections.
type PooledDatabase interface {
	Database
	// ConnectionStats describes the connections at this moment.
	ConnectionStats() store.ConnectionStats
}

// SetObserver implements store.ObservableStore.
func (s *Store) SetObserver(observer store.Observer) { s.observer.Store(&observer) }

// Stats implements store.ObservableStore.
func (s *Store) Stats() (stats store.Stats) {
	if pooled, ok := s.db.(PooledDatabase); ok {
		stats.Connections = pooled.ConnectionStats()
	}
	s.watches.mu.Lock()
	defer s.watches.mu.Unlock()
	if s.watches.stop != nil {
		stats.WatchLag = time.Since(s.watches.polled)
	}
	return stats
}

// observe tells the observer of a commit of states that began at a time.
func (s *Store) observe(began time.Time, changed []*state) {
	observer := s.observer.Load()
	if observer == nil {
		return
	}
	updates := 0
	for _, state := range changed {
		updates += state.changed
	}
	(*observer).Committed(time.Since(began), updates)
}
