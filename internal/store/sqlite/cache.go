package sqlite

// A cache remembers what the tables hold as far as the writer has read and flushed it, as long as nobody else writes. It belongs to whoever has the
// writer's turn; views do not use it, since each has a snapshot of its own.
type cache struct {
	version     int64 // of the database, see dataVersion
	young, aged map[place]any
	// worlds are known as the present batch sees them, which is over the tables.
	worlds map[string]*knownWorld
}

// A place is where a record is kept.
type place struct {
	kind      *kind
	world, id string
}

// A knownWorld is what is known of a world beside its records; nil is not.
type knownWorld struct {
	queue    *queue
	counters *counters
}

// maxWorlds is how many worlds the cache remembers between batches.
const maxWorlds = 1024

// generation is how many entries a generation of the cache holds. There are two at most.
const generation = 8192

func newCache() *cache {
	return &cache{young: map[place]any{}, worlds: map[string]*knownWorld{}}
}

// world is what is known of a world.
func (c *cache) world(name string) *knownWorld {
	known := c.worlds[name]
	if known == nil {
		known = &knownWorld{}
		c.worlds[name] = known
	}
	return known
}

func (c *cache) get(at place) any {
	if found := c.young[at]; found != nil {
		return found
	}
	found := c.aged[at]
	if found != nil {
		c.set(at, found)
	}
	return found
}

func (c *cache) set(at place, value any) {
	if len(c.young) >= generation {
		c.young, c.aged = make(map[place]any, generation), c.young
	}
	c.young[at] = value
}

func (c *cache) forget(at place) {
	delete(c.young, at)
	delete(c.aged, at)
}

// clear forgets everything.
func (c *cache) clear() {
	*c = cache{version: c.version, young: map[place]any{}, worlds: map[string]*knownWorld{}}
}

// settle forgets everything when the database has another version than the cache. No batch is under way.
func (c *cache) settle(version int64) {
	if len(c.worlds) > maxWorlds {
		clear(c.worlds)
	}
	if c.version != version {
		c.clear()
		c.version = version
	}
}
