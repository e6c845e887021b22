package sqlite

// A cache remembers what the writer has read and written, as long as nobody else writes. It belongs to whoever has the
// writer's turn; views do not use it, since each has a snapshot of its own.
type cache struct {
	version     int64 // of the database, see dataVersion
	young, aged map[place]any
}

// A place is where something is kept: a record, or, where the identifier is empty, the jobs of a world.
type place struct {
	kind      *kind
	world, id string
}

// nowhere is the place of what the cache does not keep.
var nowhere place

// generation is how many entries a generation of the cache holds. There are two at most.
const generation = 8192

func newCache() *cache { return &cache{young: map[place]any{}} }

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
func (c *cache) clear() { c.young, c.aged = map[place]any{}, nil }

// settle forgets everything when the database has another version than the cache.
func (c *cache) settle(version int64) {
	if c.version != version {
		c.clear()
		c.version = version
	}
}
