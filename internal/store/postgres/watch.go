package postgres

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// pollInterval is how often the store asks whether the worlds that are watched have changed.
const pollInterval = 100 * time.Millisecond

// A watch tells who watches a world that its version has changed. While anything is watched, one goroutine asks for the
// versions of all worlds that are.
type watch struct {
	read func(context.Context, []string) (map[string]int64, error)

	mu       sync.Mutex
	watchers map[string]map[chan struct{}]bool
	versions map[string]int64 // as they were read last
	stop     context.CancelFunc
}

// Watch implements store.Store.
func (s *Store) Watch(world string) (changed <-chan struct{}, stop func()) {
	return s.changes.add(world)
}

func (w *watch) add(world string) (changed <-chan struct{}, stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop == nil {
		ctx, cancel := context.WithCancel(context.Background())
		w.stop, w.watchers, w.versions = cancel, map[string]map[chan struct{}]bool{}, map[string]int64{}
		go w.poll(ctx)
	}
	if w.watchers[world] == nil {
		w.watchers[world] = map[chan struct{}]bool{}
	}
	ch := make(chan struct{}, 1)
	w.watchers[world][ch] = true
	return ch, func() { w.remove(world, ch) }
}

func (w *watch) remove(world string, ch chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.watchers[world], ch)
	if len(w.watchers[world]) == 0 {
		delete(w.watchers, world)
		delete(w.versions, world)
	}
	if len(w.watchers) == 0 && w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

func (w *watch) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop != nil {
		w.stop() // who still watches learns of nothing more
	}
}

func (w *watch) poll(ctx context.Context) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		w.mu.Lock()
		worlds := slices.Collect(maps.Keys(w.watchers))
		w.mu.Unlock()
		if found, err := w.read(ctx, worlds); err == nil { // otherwise the next poll asks again
			w.compare(ctx, found)
		}
	}
}

// compare signals where a version is another one than before. The first version of a world counts as a change: it may
// have changed since who watches it has read it.
func (w *watch) compare(ctx context.Context, found map[string]int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	for world, version := range found {
		if known, read := w.versions[world]; read && known == version {
			continue
		}
		if w.watchers[world] == nil {
			continue
		}
		w.versions[world] = version
		for ch := range w.watchers[world] {
			select {
			case ch <- struct{}{}:
			default:
			}
		}
	}
}

// readVersions reads the versions of worlds.
func (s *Store) readVersions(ctx context.Context, worlds []string) (map[string]int64, error) {
	names := map[string]string{} // by what the database has
	for _, world := range worlds {
		names[escape(world)] = world
	}
	rows, err := s.pool.Query(ctx, readVersions, slices.Collect(maps.Keys(names)))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	versions := map[string]int64{}
	for rows.Next() {
		var name string
		var version int64
		if err := rows.Scan(&name, &version); err != nil {
			return nil, err
		}
		versions[names[name]] = version
	}
	return versions, rows.Err()
}
