package sql

// A cache holds what is committed of a world, as far as the process has read or written it. It is valid for its head: a
// transaction that finds another one begins with an empty cache.
type cache struct {
	head head
	// records and older are records that were put into the cache; nil: the table has no such record. Once there are many,
	// they become the older ones, and those before them are forgotten.
	records, older map[recordKey]record
	bytes          int // of the documents of records
	// references has the least identifier of the transfers with a reference, as the table has it; empty: there is none.
	references map[string]string
	jobs       jobWindow
}

// Bounds of the records of a cache, and of the older ones. A record has some 2 KiB, but may have a megabyte.
const (
	maxRecords     = 16_384
	maxCachedBytes = 16 << 20
)

func newCache(h head) cache {
	return cache{head: h, records: map[recordKey]record{}, references: map[string]string{}, jobs: newJobWindow()}
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
	if len(c.records) >= maxRecords || c.bytes+bytes > maxCachedBytes {
		c.older, c.records, c.bytes = c.records, map[recordKey]record{}, 0
	}
	c.records[key] = r
	c.bytes += bytes
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
}

// commit takes over what a transaction has committed, which began at a version.
func (c *cache) commit(s *state) {
	if c.head != s.base || c.head.contents != s.head.contents {
		*c = newCache(s.head)
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
