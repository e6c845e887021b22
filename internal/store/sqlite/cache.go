package sqlite

// A cache holds what the tables hold, as far as the writer has read or flushed it. It is valid while no other process
// writes. Views do not use it: each has a snapshot of its own.
type cache struct {
	version int64 // see Store.begin
	records map[recordKey]record
	bytes   int                     // of the documents of records, and of those that were replaced since
	worlds  map[string]*cachedWorld // by the name of its contents
	// contents are the names of the contents of worlds.
	contents map[string]string
}

// A cachedWorld is what the present batch sees of a world besides records, with what is still in the buffers.
type cachedWorld struct {
	jobs     jobWindow
	counters *counters // nil: not read yet
}

// Bounds of the cache, which forgets everything of a kind when it has more. A record has some 2 KiB, but may have a
// megabyte.
const (
	maxRecords     = 16_384
	maxCachedBytes = 32 << 20
	maxWorlds      = 1024
)

func newCache(version int64) *cache {
	return &cache{version: version, records: map[recordKey]record{}, worlds: map[string]*cachedWorld{}, contents: map[string]string{}}
}

// limit keeps the cache within its bounds. No batch is under way.
func (c *cache) limit() {
	if len(c.records) > maxRecords || c.bytes > maxCachedBytes {
		clear(c.records)
		c.bytes = 0
	}
	if len(c.worlds) > maxWorlds {
		clear(c.worlds)
	}
	if len(c.contents) > maxWorlds {
		clear(c.contents)
	}
}

// put adds a record, whose document has so many bytes.
func (c *cache) put(key recordKey, record record, bytes int) {
	c.records[key] = record
	c.bytes += bytes
}

func (c *cache) world(name string) *cachedWorld {
	known := c.worlds[name]
	if known == nil {
		known = &cachedWorld{jobs: newJobWindow()}
		c.worlds[name] = known
	}
	return known
}

func (c *cache) clear() { *c = *newCache(c.version) }
