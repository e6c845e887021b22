// Package sandbox has the features of the reference service that a real service lacks. A world is the sandbox of one
// client. It has its own clock, outcomes that tests can choose, faults, snapshots and a request log.
package sandbox

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/routes"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
)

// Config configures Worlds.
type Config struct {
	Store store.Store
	// Requests is the request log. nil means one in memory.
	Requests  RequestLog
	Catalogue *routes.Catalogue
	Script    Script
	// Most is how many worlds the store may have, and how many this process. Zero means DefaultMaxWorlds.
	Most int
	// Clock is how the clock of a new world runs.
	Clock ClockSetting
	// Faults are those of a new world. A world from the store keeps its own until it is reset.
	Faults []payments.SandboxFault
	// Shared reports whether other processes use the store too.
	Shared bool
	// DuplicateReferences lets a client create several transfers with one reference.
	DuplicateReferences bool
	// Seed, if not nil, makes everything random the same in each run.
	Seed *uint64
	// Entered, if not nil, is called once for each world, before anything happens in it.
	Entered func(clientID string, events payments.Events)
	// Leaving, if not nil, is called before a reset or restore replaces a world, while its events can still be read.
	Leaving func(ctx context.Context, clientID string)
	// Machine returns the machine's time. nil means time.Now.
	Machine func() time.Time
}

// DefaultMaxWorlds is the default of Config.Most. A world takes memory until the process ends, so without a limit any
// client could exhaust the memory with client ids.
const DefaultMaxWorlds = 10_000

// Worlds holds the worlds of all clients. It is safe for concurrent use.
type Worlds struct {
	config   Config
	mu       sync.Mutex
	byClient map[string]*World
}

// A World is everything that one client sees.
type World struct {
	*service.Service
	worlds *Worlds
	client string
	clock  *Clock
	ids    *service.IDs

	requestRandom, faultRandom randomStream

	entering chan struct{} // holds an element while a request enters the world
	adopting sync.Mutex
	record   atomic.Pointer[store.World] // the latest committed one; nil means that the world is not entered yet
	contents requestContents
}

// New returns worlds. Of creates each world when its client first uses it.
func New(config Config) *Worlds {
	if config.Machine == nil {
		config.Machine = time.Now
	}
	if config.Requests == nil {
		config.Requests = &requestRings{rings: map[string]*requestRing{}}
	}
	if config.Most == 0 {
		config.Most = DefaultMaxWorlds
	}
	return &Worlds{config: config, byClient: map[string]*World{}}
}

// Of returns the world of a client. The error is the store's, the context's, or a problem of the kind too-many-clients.
func (ws *Worlds) Of(ctx context.Context, clientID string) (*World, error) {
	world, full := ws.known(clientID)
	if world == nil {
		if full { // a flood of clients must not reach the store
			return nil, ws.tooMany()
		}
		// Several new clients at the same time may together exceed the limit a little.
		room, err := ws.config.Store.HasRoom(ctx, clientID, ws.config.Most)
		if err != nil {
			return nil, err
		}
		if !room {
			return nil, ws.tooMany()
		}
		if world, err = ws.getOrAdd(clientID); err != nil {
			return nil, err
		}
	}
	if world.record.Load() != nil {
		return world, nil
	}
	return world, world.enter(ctx)
}

func (ws *Worlds) tooMany() error {
	return payments.NewProblem(payments.ProblemTooManyClients,
		"The service has %d clients already and accepts no more.", ws.config.Most)
}

// known returns the world of a client that this process has served before, or nil. full reports whether the process may
// have no more worlds.
func (ws *Worlds) known(clientID string) (world *World, full bool) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return ws.byClient[clientID], len(ws.byClient) >= ws.config.Most
}

// getOrAdd returns the world of a client, which may not be entered yet.
func (ws *Worlds) getOrAdd(clientID string) (*World, error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if world := ws.byClient[clientID]; world != nil {
		return world, nil
	}
	if len(ws.byClient) >= ws.config.Most {
		return nil, ws.tooMany()
	}
	c := ws.config
	world := &World{worlds: ws, client: clientID, entering: make(chan struct{}, 1)}
	world.clock, world.ids = &Clock{machine: c.Machine}, service.NewIDs(nil)
	world.Service = service.New(c.Store, clientID, c.Catalogue, world.clock, c.Script, world.ids)
	world.SetSharedStore(world.loadRecord)
	if c.DuplicateReferences {
		world.AllowDuplicateReferences()
	}
	ws.byClient[clientID] = world
	return world, nil
}

// ListSandboxPages implements payments.Sandbox. The addresses are those of the server.
func (w *World) ListSandboxPages(context.Context) (found payments.SandboxPages, err error) {
	found.Pages = []payments.SandboxPage{{ClientID: w.client}}
	w.worlds.mu.Lock()
	defer w.worlds.mu.Unlock()
	for _, client := range slices.Sorted(maps.Keys(w.worlds.byClient)) {
		if client != w.client {
			found.Pages = append(found.Pages, payments.SandboxPage{ClientID: client})
		}
	}
	return found, nil
}

// enterTimeout bounds how long a request waits for another one that enters the world. If the store does not respond,
// waiting requests must not try one after the other.
const enterTimeout = 10 * time.Second

// enter loads the world from the store, or begins its first instance.
func (w *World) enter(ctx context.Context) error {
	timer := time.NewTimer(enterTimeout)
	defer timer.Stop()
	select {
	case w.entering <- struct{}{}:
		defer func() { <-w.entering }()
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return store.Unavailable(errors.New("another request takes long to enter the world"))
	}
	if w.record.Load() != nil {
		return nil
	}
	var record store.World
	err := w.worlds.config.Store.Update(ctx, w.client, func(tx store.Tx) error {
		stored, err := tx.Worlds().Get(store.WorldID)
		switch {
		case errors.Is(err, store.ErrNotFound):
			record = w.newRecord(1)
		case err != nil:
			return err
		default:
			record = *stored
			record.Generation++ // makes new identifiers unique
			record.Version++
		}
		return tx.Worlds().Put(&record)
	})
	if err != nil {
		return err
	}
	w.adoptChanged(&record)
	if entered := w.worlds.config.Entered; entered != nil {
		entered(w.client, w)
	}
	return nil
}

// newRecord returns the record of a new instance of the world.
func (w *World) newRecord(number int) store.World {
	clock := w.worlds.config.Clock.begin(w.worlds.config.Machine())
	return store.World{
		Instance: w.worlds.newInstance(w.client, number), Number: number, Clock: clock, At: clock.Shown,
		Faults: slices.Clone(w.worlds.config.Faults),
	}
}

// Instance identifies the current instance of the world. A reset or a restore begins a new one.
func (w *World) Instance() string { return w.record.Load().Instance }

// Now is the time of the world's clock.
func (w *World) Now() time.Time { return w.clock.Now() }

// Current is Of, and adopts changes of other processes first.
func (ws *Worlds) Current(ctx context.Context, clientID string) (*World, error) {
	world, err := ws.Of(ctx, clientID)
	if err == nil && ws.config.Shared {
		_, err = world.storedRecord(ctx)
	}
	return world, err
}

// State returns the record of a client's world and the time of its clock, consistent even during a reset.
func (ws *Worlds) State(ctx context.Context, clientID string) (record *store.World, now time.Time, err error) {
	world, err := ws.Current(ctx, clientID)
	if err != nil {
		return nil, time.Time{}, err
	}
	record, now = world.State()
	return record, now, nil
}

// State returns the record of the world and the consistent time of its clock.
func (w *World) State() (record *store.World, now time.Time) {
	record = w.record.Load()
	return record, w.clock.Shows(record.Clock)
}
