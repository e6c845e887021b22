// Package sandbox is what only the reference service has: a world of its own for each client, with a clock, and outcomes
// that tests can force.
package sandbox

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/catalogue"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
)

// Worlds are the worlds of all clients. It is safe for concurrent use.
type Worlds struct {
	config   Config
	mu       sync.RWMutex
	byClient map[string]*World
}

// Config is what worlds are made of.
type Config struct {
	Store     store.Store
	Catalogue *catalogue.Catalogue
	Script    Script
	// Most is how many worlds there may be at a time; zero: DefaultMaxWorlds.
	Most int
	// Clock is how the clock of a new world runs.
	Clock ClockSetting
	// Faults are those of a new world.
	Faults []payments.SandboxFault
	// Shared says that other processes have the store too.
	Shared bool
	// Seed makes everything that is drawn at random the same in each run; nil: it is not.
	Seed *uint64
	// Machine is the machine's clock; nil: the real one.
	Machine func() time.Time
}

// A World is everything that one client sees.
type World struct {
	*service.Service
	worlds    *Worlds
	client    string
	clock     *Clock
	ids       *service.IDs
	requests  requestIDs
	faults    faults
	requested requestLog

	mu     sync.Mutex // orders what concerns the world as a whole
	record atomic.Pointer[store.World]

	following sync.Mutex // orders what is taken over from other processes
}

// DefaultMaxWorlds is how many worlds there may be where Config.Most does not say. Worlds are kept for as long as the process
// lives, so that where any client may come, somebody has to say how many.
const DefaultMaxWorlds = 10_000

// New returns worlds that are made when they are first entered.
func New(config Config) *Worlds {
	if config.Machine == nil {
		config.Machine = time.Now
	}
	if config.Most == 0 {
		config.Most = DefaultMaxWorlds
	}
	return &Worlds{config: config, byClient: map[string]*World{}}
}

// Of returns a client's world. The error is the store's, the context's, or a refusal when there are too many worlds to make
// another one.
func (ws *Worlds) Of(ctx context.Context, clientID string) (*World, error) {
	ws.mu.RLock()
	world := ws.byClient[clientID]
	ws.mu.RUnlock()
	if world == nil {
		var err error
		if world, err = ws.add(clientID); err != nil {
			return nil, err
		}
	}
	if world.record.Load() != nil {
		return world, nil
	}
	return world, world.enter(ctx)
}

func (ws *Worlds) add(clientID string) (*World, error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if world := ws.byClient[clientID]; world != nil {
		return world, nil
	}
	if len(ws.byClient) >= ws.config.Most {
		return nil, payments.Refuse(payments.KindTooManyClients, "The service has no room for another client than the %d that it has.", len(ws.byClient))
	}
	world := &World{worlds: ws, client: clientID, clock: &Clock{machine: ws.config.Machine}, ids: service.NewIDs(nil)}
	world.Service = service.New(ws.config.Store, clientID, ws.config.Catalogue, world.clock, ws.config.Script, world.ids)
	if ws.config.Shared {
		world.Share(world.follow)
	}
	ws.byClient[clientID] = world
	return world, nil
}

// enter reads what the store knows of the world, or begins its first life.
func (w *World) enter(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.record.Load() != nil {
		return nil
	}
	var entered store.World
	var ids []string
	err := w.worlds.config.Store.Update(ctx, w.client, func(tx store.Tx) error {
		known, err := tx.Worlds().Get(store.WorldID)
		switch {
		case errors.Is(err, store.ErrNotFound):
			entered = w.begun(1)
		case err != nil:
			return err
		default:
			entered = *known
			entered.Generation++ // no identifier is drawn twice
			entered.Version++
		}
		if ids, err = service.Greatest(tx); err != nil {
			return err
		}
		return tx.Worlds().Put(&entered)
	})
	if err != nil {
		return err
	}
	w.live(entered, ids)
	return nil
}

// begun is a world at the beginning of a life.
func (w *World) begun(life int) store.World {
	clock := w.worlds.config.Clock.begin(w.worlds.config.Machine())
	return store.World{Instance: w.worlds.instance(w.client, life), Life: life, Clock: clock, At: clock.Shown}
}

// Instance identifies this life of the world: it is another one after the world was reset or its memory is gone.
func (w *World) Instance() string { return w.record.Load().Instance }

// Now is what the world's clock shows.
func (w *World) Now() time.Time { return w.clock.Now() }

// Current returns a client's world as it now is, also where another process changes it.
func (ws *Worlds) Current(ctx context.Context, clientID string) (*World, error) {
	world, err := ws.Of(ctx, clientID)
	if err == nil && ws.config.Shared {
		err = ws.config.Store.View(ctx, clientID, func(tx store.Tx) error {
			_, err := world.follow(tx)
			return err
		})
	}
	return world, err
}

// Moment is a client's world as it now is. Its clock and its life are of one record, also while the world is being reset.
func (ws *Worlds) Moment(ctx context.Context, clientID string) (service.Moment, error) {
	world, err := ws.Current(ctx, clientID)
	if err != nil {
		return service.Moment{}, err
	}
	record := world.record.Load()
	return service.Moment{Now: world.clock.Shows(record.Clock), Instance: record.Instance, Began: record.At}, nil
}
