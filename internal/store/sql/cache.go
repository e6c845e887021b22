package sql

// A cache holds what is committed of a world, as far as the process has read or written it. It is valid at the version
// of its head: a transaction that finds another version begins with an empty cache.
type cache struct {
	head    head
	records map[recordKey]record // nil: the table has no such record
	bytes   int                  // of the documents that were put into the cache
	// references has the least identifier of the transfers with a reference, as the table has it; empty: there is none.
	references map[string]string
	jobs       jobWindow
}

// Bounds of the cache of a world, which forgets all records when it has more. A record has some 2 KiB, but may have a
// megabyte.
const (
	maxRecords     = 16_384
	maxCachedBytes = 32 << 20
)

func newCache(h head) cache {
	return cache{head: h, records: map[recordKey]record{}, references: map[string]string{}, jobs: newJobWindow()}
}

// put adds a record, whose document has so many bytes.
func (c *cache) put(key recordKey, r record, bytes int) {
	if len(c.records) >= maxRecords || c.bytes+bytes > maxCachedBytes {
		clear(c.records)
		c.bytes = 0
	}
	c.records[key] = r
	c.bytes += bytes
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
	if c.head.version != s.base || c.head.contents != s.head.contents {
		*c = newCache(s.head)
	}
	c.head = s.head
	for key, write := range s.flushed {
		for _, r := range []record{write.record, c.records[key]} {
			if reference := referenceOf(r); reference != "" {
				delete(c.references, reference)
			}
		}
		c.put(key, write.record, len(write.document))
	}
	if c.jobs = s.jobs; c.jobs.jobs.Len() > maxJobs {
		c.jobs = newJobWindow()
	}
}
