package sql

import (
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/store"
)

// LastingGroups lets a group begin all its updates, however long they take. It has to be called before any update.
func (s *Store) LastingGroups() { s.maxGroupTime = time.Hour }

// WaitAtMost bounds how long an update waits for its turn. No other update is under way.
func (s *Store) WaitAtMost(wait time.Duration) { s.maxWait = wait }

// Waiting is how many updates wait for their turn.
func (s *Store) Waiting() (waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	queues := map[*updateQueue]bool{}
	for _, w := range s.worlds {
		queues[w.queue] = true
	}
	for q := range queues {
		q.mu.Lock()
		for _, updates := range q.byWorld {
			waiting += len(updates)
		}
		q.mu.Unlock()
	}
	return waiting
}

// ContentTables are the tables that hold contents of worlds.
func ContentTables() (names []string) {
	for _, each := range contentTables {
		names = append(names, each.table)
	}
	return names
}

// Cached is how many bytes the responses of the idempotency keys in the caches have. No update is under way.
func (s *Store) Cached() (bytes int) {
	for _, w := range s.worlds {
		for _, records := range []map[recordKey]record{w.cache.records, w.cache.older} {
			for _, known := range records {
				if key, ok := known.(*store.Key); ok {
					bytes += len(key.Response)
				}
			}
		}
	}
	return bytes
}

// CachedReferences is how many references the caches have. No transaction is under way.
func (s *Store) CachedReferences() (references int) {
	for _, w := range s.worlds {
		references += len(w.cache.references)
	}
	return references
}

// LimitCaches bounds the records in the caches of all worlds. It has to be called before any transaction.
func (s *Store) LimitCaches(bytes int) { s.maxCached = int64(bytes) }

// Gather reports whether a queue in which updates wait is worth a wait after a group, and whether the wait ends when
// later updates have come.
func Gather(waiting, before, later int) (worth, ends bool) {
	q, w := newQueue(nil), &world{}
	q.running = true // nothing commits
	w.queue = q
	add := func(updates int) {
		for range updates {
			q.add(&update{world: w})
		}
	}
	add(waiting)
	worth = q.want(before)
	add(later)
	select {
	case <-q.enough:
		ends = true
	default:
	}
	return worth, ends
}

// Encode is the document of a record or an event, and what the library makes of it.
func Encode(value any) (document, expected string, err error) {
	if document, err = encode(value); err != nil {
		return "", "", err
	}
	if event, ok := value.(*store.Event); ok {
		value = eventDocument{event.At, event.From, event.To, event.Data}
	}
	text, err := json.Marshal(value, encoding)
	return document, string(text), err
}
