package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// pollInterval is how often the store asks whether the worlds that are watched have changed.
const pollInterval = 100 * time.Millisecond

// A watch tells who watches a world that its version has changed. While anything is watched, one goroutine asks for the
// versions of all worlds that are.
type watch struct {
	mu       sync.Mutex
	watchers map[chan struct{}]*watcher
	stop     context.CancelFunc // nil: nothing is watched
}

// A watcher watches a world. The first version that is read counts as a change: the world may have changed since the
// watcher has read it.
type watcher struct {
	world   string // as the database has it
	version int64  // as it was read last
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

// end ends the goroutine; the caller holds the lock. Who still watches learns of nothing more.
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
