// Package sandbox is what only the reference service has: a world of its own for each client, with a clock, and outcomes
// that tests can force.
package sandbox

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/catalogue"
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
	// NewClock makes the clock of a new world; nil gives the machine's.
	NewClock func() service.Clock
}

// A World is everything that one client sees.
type World struct {
	// Instance identifies this life of the world: it is another one after the world's memory is gone.
	Instance string
	Clock    service.Clock
	Service  *service.Service
}

// New returns worlds that are made when they are first entered.
func New(config Config) *Worlds {
	if config.NewClock == nil {
		config.NewClock = func() service.Clock { return RealClock{} }
	}
	return &Worlds{config: config, byClient: map[string]*World{}}
}

// Of returns a client's world.
func (ws *Worlds) Of(clientID string) *World {
	ws.mu.RLock()
	world := ws.byClient[clientID]
	ws.mu.RUnlock()
	if world != nil {
		return world
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if world = ws.byClient[clientID]; world == nil {
		clock := ws.config.NewClock()
		world = &World{
			Instance: "wld_" + rand.Text(),
			Clock:    clock,
			Service: service.New(ws.config.Store, clientID, ws.config.Catalogue, clock, ws.config.Script,
				service.NewIDs(rand.Reader)),
		}
		ws.byClient[clientID] = world
	}
	return world
}

// Clock is the clock of a client's world.
func (ws *Worlds) Clock(clientID string) service.Clock { return ws.Of(clientID).Clock }

// Advance moves a world's clock, which has to be a ManualClock, and returns when everything due has happened.
func (w *World) Advance(ctx context.Context, d time.Duration) error {
	w.Clock.(*ManualClock).Advance(d)
	return w.Service.CatchUp(ctx)
}
