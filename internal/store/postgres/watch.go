package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// pollInterval is how often the store reads the versions of watched worlds.
const pollInterval = 100 * time.Millisecond

// A watch tells watchers that the version of their world has changed. One goroutine reads the versions while there are
// watchers.
type watch struct {
	mu       sync.Mutex
	watchers map[chan struct{}]*watcher
	stop     context.CancelFunc // nil means there are no watchers
}

// A watcher watches a world. The first version counts as a change, since the world may have changed before the watch.
type watcher struct {
	world   string // escaped
	version int64  // the last one read
}

// Watch implements store.Store.
func (s *Store) Watch(world string) (changed <-chan struct{}, stop func()) {
	w := &s.changes
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop == nil {
		ctx, cancel := context.WithCancel(context.Background())
		w.stop, w.watchers = cancel, map[chan struct{}]*watcher{}
		go s.poll(ctx)
	}
	ch := make(chan struct{}, 1)
	w.watchers[ch] = &watcher{world: escape(world)}
	return ch, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(w.watchers, ch); len(w.watchers) == 0 {
			w.end()
		}
	}
}

// end ends the goroutine, and no watcher gets a signal any more. The caller must hold the lock.
func (w *watch) end() {
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

func (s *Store) poll(ctx context.Context) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_ = s.signalChanges(ctx) // after an error the next poll asks again
		}
	}
}

func (s *Store) signalChanges(ctx context.Context) error {
	w := &s.changes
	var worlds []string
	w.mu.Lock()
	for _, watcher := range w.watchers {
		worlds = append(worlds, watcher.world)
	}
	w.mu.Unlock()
	rows, _ := s.pool.Query(ctx, readVersions, worlds) // ForEachRow has its error
	var world string
	var version int64
	_, err := pgx.ForEachRow(rows, []any{&world, &version}, func() error {
		w.signal(world, version)
		return nil
	})
	return err
}

func (w *watch) signal(world string, version int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for ch, watcher := range w.watchers {
		if watcher.world != world || watcher.version == version {
			continue
		}
		watcher.version = version
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}
