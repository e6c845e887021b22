// Package reference puts the reference service together from its layers, HTTP at the top and a store at the bottom.
package reference

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/payctl/payctl/internal/catalogue"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
)

// DefaultTokenLifetime is how long an access token works unless the configuration says otherwise.
const DefaultTokenLifetime = time.Hour

// Config is what a reference service is made of. The zero value is a complete service in memory.
type Config struct {
	// Version names the program in the Server header.
	Version string
	// Catalogue is a file with routes and prices; empty: the built-in catalogue.
	Catalogue string
	// Clients maps the client ids that may use the service to their secrets; empty: any may.
	Clients map[string]string
	// FixedSecrets maps client ids to their secrets where any client may use the service; the first use fixes all others.
	FixedSecrets map[string]string
	// KYCDelay, SettleDelay and TokenLifetime are the defaults where they are zero.
	KYCDelay, SettleDelay, TokenLifetime time.Duration
	// Data is the folder that keeps everything; empty: memory.
	Data string
	// Strict refuses what the contract does not know.
	Strict bool
	// Clock is how the clock of a new world runs; zero: as the machine's.
	Clock sandbox.ClockSetting
	// Seed makes ids, hashes and times the same in each run, given a manual clock and the same requests; nil: they are not.
	Seed *uint64
	// Faults are what goes wrong in every new world.
	Faults []payments.SandboxFault
	// IgnoreIdempotencyKeys plays a service that does not honour idempotency keys.
	IgnoreIdempotencyKeys bool
	// ManualDeposits lets transfers wait for deposits that are made by hand.
	ManualDeposits bool
	// NoSandbox leaves the operations below /sandbox out.
	NoSandbox bool
	// Local answers requests for this machine alone, and for Hosts, see server.Config.
	Local bool
	Hosts []string
	// MaxClients is how many clients may have a world at a time; zero: sandbox.DefaultMaxWorlds.
	MaxClients int
	// Bounds limit what a client may take.
	Bounds Bounds
	Log    *slog.Logger
	// Check holds every answer to the contract, see server.Config.
	Check bool
	// Audit is told of every answer; nil: nobody is.
	Audit server.Audit
	// RateLimit is how much each client may ask; nil: as much as it likes.
	RateLimit *server.RateLimit
}

// Bounds are bounds in time and in size; zero is the default.
type Bounds = server.Bounds

// Service is a reference service that is ready to answer.
type Service struct {
	// Handler answers requests. It may be put inside another one.
	Handler http.Handler
	// Server guards the connections; it is the innermost handler as well.
	Server *server.Server
	Worlds *sandbox.Worlds
	store  store.Store
}

// New returns a reference service. The error is a *catalogue.Error when the catalogue cannot be used, a *DataError when
// the data folder cannot.
func New(config Config) (*Service, error) {
	routes, err := loadCatalogue(config.Catalogue)
	if err != nil {
		return nil, err
	}
	kept, err := openStore(config.Data, config.Log)
	if err != nil {
		return nil, err
	}
	worlds := sandbox.New(sandbox.Config{
		Store:     kept,
		Shared:    config.Data != "",
		Catalogue: routes,
		Script: sandbox.Script{
			KYCDelay:    or(config.KYCDelay, sandbox.DefaultKYCDelay),
			SettleDelay: or(config.SettleDelay, sandbox.DefaultSettleDelay),

			ManualDeposits: config.ManualDeposits,
		},
		Most:   config.MaxClients,
		Clock:  config.Clock,
		Seed:   config.Seed,
		Faults: config.Faults,
	})
	identity := &service.Identity{
		Store:    kept,
		Clients:  config.Clients,
		Fixed:    config.FixedSecrets,
		Lifetime: or(config.TokenLifetime, DefaultTokenLifetime),
		World:    worlds.Moment,
	}
	handler := server.New(server.Config{
		Identity:  door{identity, worlds},
		Version:   config.Version,
		Strict:    config.Strict,
		NoSandbox: config.NoSandbox,

		NewRequestID: worlds.NewRequestID,

		IgnoreIdempotencyKeys: config.IgnoreIdempotencyKeys,

		Local: config.Local, Hosts: config.Hosts,
		Bounds: config.Bounds,
		Log:    config.Log, Check: config.Check, Audit: config.Audit, RateLimit: config.RateLimit,
	})
	return &Service{Handler: handler, Server: handler, Worlds: worlds, store: kept}, nil
}

// Close releases what the service holds.
func (s *Service) Close() error { return s.store.Close() }

func loadCatalogue(path string) (*catalogue.Catalogue, error) {
	if path == "" {
		return catalogue.Default()
	}
	return catalogue.Load(path)
}

func or(given, fallback time.Duration) time.Duration {
	if given == 0 {
		return fallback
	}
	return given
}

// door leads from a token to the world of its client.
type door struct {
	*service.Identity
	worlds *sandbox.Worlds
}

// OpenSession implements server.Identity.
func (d door) OpenSession(ctx context.Context, token string) (server.Session, error) {
	record, expired, err := d.Present(ctx, token)
	if err != nil {
		return server.Session{}, err
	}
	world, err := d.worlds.Of(ctx, record.ClientID)
	if err != nil {
		return server.Session{}, err
	}
	return server.Session{
		Service: world.Service,
		Checks:  world,
		Sandbox: world,
		Scopes:  record.Scopes,
		World:   world.Instance(),
		Client:  record.ClientID,
		Now:     world.Now(),
		Expired: expired,
		Watch:   world,
	}, nil
}

// WatchClient implements server.Identity. Where clients are named, nobody else has a world.
func (d door) WatchClient(ctx context.Context, clientID string) (server.Watch, error) {
	if _, named := d.Clients[clientID]; len(d.Clients) > 0 && !named {
		return nil, nil
	}
	world, err := d.worlds.Current(ctx, clientID)
	if err != nil {
		return nil, err
	}
	return world, nil
}
