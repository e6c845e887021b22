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

// observe reports a commit of updates that began at a time to the observer.
func (s *Store) observe(began time.Time, updates int) {
	if observer := s.observer.Load(); observer != nil {
		(*observer).Committed(time.Since(began), updates)
	}
}
