package sql

import (
	"sync"
	"time"
)

// A world is what the process knows of a world.
type world struct {
	name  string
	queue *updateQueue

	mu         sync.RWMutex
	cache      cache
	contended  time.Time     // when another process was last found to have changed the world
	groupTime  time.Duration // from the prefetch of the group before to the end of its last update
	committing chan struct{} // is closed when the cache has what is being committed; nil: nothing is
}

// cachedHead is the head that the cache is about.
func (w *world) cachedHead() head {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.cache.head
}

// contendedTime is how long a world counts as contended after another process has changed it.
const contendedTime = time.Second

// isContended reports whether by the time of the next lock another process has probably changed the world.
func (w *world) isContended() bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return time.Since(w.contended) < contendedTime
}

func (w *world) setGroupTime(took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.groupTime = took
}

// stateAt returns what a transaction sees that has locked a head. The cache is about that from now on.
func (w *world) stateAt(h head, fetched *prefetch) *state {
	s := newState(w, h)
	s.buffer, s.flushed = newWriteBuffer(), map[recordKey]recordWrite{}
	w.mu.Lock()
	defer w.mu.Unlock()
	if before := w.cache.head; before != h {
		if before != unknownHead {
			w.contended = time.Now()
		}
		w.cache.reset(h)
	}
	if fetched != nil && fetched.err == nil {
		fetched.fill(&w.cache)
		s.latest = fetched.latest
	}
	s.jobs = w.cache.jobs.copy()
	return s
}

// forget drops the cache.
func (w *world) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cache.reset(unknownHead)
}
