package sql

import (
	"maps"
	"slices"
	"sync/atomic"
)

// A cache holds what is committed of a world, as far as the process has read or written it. It is valid for its head: a
// transaction that finds another one begins with an empty cache.
type cache struct {
	head head
	// records and older are records that were put into the cache; nil: the table has no such record. Once there are many,
	// they become the older ones, and those before them are forgotten.
	records, older    map[recordKey]record
	bytes, olderBytes int           // that they take
	total             *atomic.Int64 // the bytes of the records of all caches of the store
	// references has the least identifier of the transfers with a reference, as the table has it; empty: there is none.
	references map[string]string
	jobs       jobWindow
}

// Bounds of the records of a cache, and of the older ones. A record has some 2 KiB, but may have a megabyte.
const (
	maxRecords     = 16_384
	maxCachedBytes = 16 << 20
)

// recordBytes is what a record takes besides its document, and what a reference takes.
const recordBytes = 512

func newCache(h head, total *atomic.Int64) cache {
	return cache{
		head: h, records: map[recordKey]record{}, references: map[string]string{}, jobs: newJobWindow(), total: total,
	}
}

// reset drops all that the cache has, which is about a head from now on.
func (c *cache) reset(h head) {
	c.total.Add(int64(-c.bytes - c.olderBytes))
	*c = newCache(h, c.total)
}

// get returns a record; nil: the table has none. If known is false, that has to be read.
func (c *cache) get(key recordKey) (r record, known bool) {
	if r, known = c.records[key]; !known {
		r, known = c.older[key]
	}
	return r, known
}

// put adds a record, whose document has so many bytes.
func (c *cache) put(key recordKey, r record, bytes int) {
	bytes += recordBytes
	if len(c.records) >= maxRecords || c.bytes+bytes > maxCachedBytes {
		c.total.Add(int64(-c.olderBytes))
		c.older, c.records = c.records, map[recordKey]record{}
		c.olderBytes, c.bytes = c.bytes, 0
	}
	c.records[key] = r
	c.bytes += bytes
	c.total.Add(int64(bytes))
}

// forget removes a record.
func (c *cache) forget(key recordKey) {
	delete(c.records, key)
	delete(c.older, key)
}

// putReference adds the identifier that the table has for a reference.
func (c *cache) putReference(reference, id string) {
	if len(c.references) >= maxRecords {
		clear(c.references)
	}
	c.references[reference] = id
	c.bytes += recordBytes
	c.total.Add(recordBytes)
}

// commit takes over what a transaction has committed, which began at a version.
func (c *cache) commit(s *state) {
	if c.head != s.base || c.head.contents != s.head.contents {
		c.reset(s.head)
	}
	c.head = s.head
	for key, write := range s.flushed {
		before, _ := c.get(key)
		for _, r := range []record{write.record, before} {
			if reference := referenceOf(r); reference != "" {
				delete(c.references, reference)
			}
		}
		if before == nil && key.schema.rarelyRead {
			c.forget(key)
		} else {
			c.put(key, write.record, len(write.document))
		}
	}
	c.jobs = s.jobs
	c.jobs.forgetLater()
}

// maxTotalBytes bounds the records in the caches of all worlds.
const maxTotalBytes = 256 << 20

// trim drops caches of some worlds if all of them take too much memory: any of them, so that it costs nothing to keep
// in mind which were used.
func (s *Store) trim() {
	if s.cached.Load() <= s.maxCached {
		return
	}
	s.mu.Lock()
	worlds := slices.Collect(maps.Values(s.worlds)) // in no order
	s.mu.Unlock()
	for _, w := range worlds {
		if s.cached.Load() <= s.maxCached/2 {
			return
		}
		if w.mu.TryLock() { // otherwise it is in use
			w.cache.reset(unknownHead)
			w.mu.Unlock()
		}
	}
}
