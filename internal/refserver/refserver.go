// Package refserver assembles the reference service from its layers, with HTTP at the top and a store at the bottom.
package refserver

import (
	"cmp"
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/routes"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
)

// DefaultTokenLifetime is how long an access token works by default.
const DefaultTokenLifetime = time.Hour

// Config configures a reference service. The zero value is a complete service in memory.
type Config struct {
	// Version is the program's version in the Server header.
	Version string
	// Catalogue is a file with routes and prices. Empty means the built-in catalogue.
	Catalogue string
	// Clients maps the client ids that may use the service to their secrets. If it is empty, any client may.
	Clients map[string]string
	// FixedSecrets maps client ids to secrets if any client may use the service. The secret of another client is the
	// first one that it presents.
	FixedSecrets map[string]string
	// KYCDelay, SettleDelay and TokenLifetime have their defaults if they are zero.
	KYCDelay, SettleDelay, TokenLifetime time.Duration
	// Data is the folder for the data. Empty means in memory, unless Database is set.
	Data string
	// Database, if not nil, is the database for the data.
	Database *Database
	// Clock is how the clock of a new world runs. Zero means like the machine's.
	Clock sandbox.ClockSetting
	// Seed, if not nil, makes ids, hashes and times the same in each run with a manual clock and the same requests.
	Seed *uint64
	// Faults are the faults of every new world. A world in the data folder keeps its own.
	Faults []payments.SandboxFault
	// IgnoreIdempotencyKeys simulates a service that does not honour idempotency keys.
	IgnoreIdempotencyKeys bool
	// DuplicateReferences simulates a service that lets a client create several transfers with one reference.
	DuplicateReferences bool
	// NoSandbox leaves out the operations below /sandbox.
	NoSandbox bool
	// Local restricts the hosts that the service answers for, see server.Config.
	Local bool
	// MaxClients is the most clients that have a world. Zero means sandbox.DefaultMaxWorlds.
	MaxClients int
	// Bounds limit what a client may use.
	Bounds Bounds
	// Entered is told of each client that uses the service, and Leaving of each reset; see sandbox.Config.
	Entered func(clientID string, events payments.Events)
	Leaving func(ctx context.Context, clientID string)
	// Log, if not nil, receives failures inside the service.
	Log *slog.Logger
	// Check checks every response against the contract, see server.Config.
	Check bool
	// OnResponse is called after every response, see server.Config.
	OnResponse func(server.ResponseSummary)
	// Contents gives OnResponse the contents of requests, see server.Config.
	Contents bool
	// As is the imitated service, see server.Config.
	As *servicemap.Map
}

// Bounds limit what a client may use, in time and in size. A zero field means its default.
type Bounds = server.Bounds

// Server is a reference service.
type Server struct {
	Handler  http.Handler   // answers requests: HTTP, or a handler around it
	HTTP     *server.Server // serves connections
	Worlds   *sandbox.Worlds
	Database string // describes the database for people; empty means in memory or in a folder
	store    store.Store
}

// New returns a reference service. The error is a *routes.Error, a *DataError or a *DatabaseError.
func New(config Config) (*Server, error) {
	catalogue, err := loadCatalogue(config.Catalogue)
	if err != nil {
		return nil, err
	}
	if config.As != nil && config.Log != nil {
		for _, e := range catalogue.Endpoints() {
			if decimals, isMinor := config.As.MinorDecimals(e.Rail, e.Currency); isMinor && decimals != e.Decimals {
				config.Log.Warn("the catalogue and the imitated service differ in decimals; amounts may be refused",
					"endpoint", e.String(), "catalogue", e.Decimals, "service", decimals)
			}
		}
	}
	opened, database, err := openStore(config)
	if err != nil {
		return nil, err
	}
	requests, _ := opened.(sandbox.RequestLog) // nil means one in memory
	worlds := sandbox.New(sandbox.Config{
		Store:               opened,
		Requests:            requests,
		Shared:              config.Database != nil,
		DuplicateReferences: config.DuplicateReferences,
		Catalogue:           catalogue,
		Script: sandbox.Script{
			KYCDelay:    cmp.Or(config.KYCDelay, sandbox.DefaultKYCDelay),
			SettleDelay: cmp.Or(config.SettleDelay, sandbox.DefaultSettleDelay),
		},
		Most:   config.MaxClients,
		Clock:  config.Clock,
		Seed:   config.Seed,
		Faults: config.Faults, Entered: config.Entered, Leaving: config.Leaving,
	})
	tokens := &service.Identity{
		Store:    opened,
		Clients:  config.Clients,
		Fixed:    config.FixedSecrets,
		Lifetime: cmp.Or(config.TokenLifetime, DefaultTokenLifetime),
		World:    worlds.State,
	}
	handler := server.New(server.Config{
		Identity:              identity{tokens, worlds},
		Version:               config.Version,
		IgnoreIdempotencyKeys: config.IgnoreIdempotencyKeys,
		DuplicateReferences:   config.DuplicateReferences,
		NoSandbox:             config.NoSandbox,
		Local:                 config.Local,
		Bounds:                config.Bounds,
		Ready:                 opened.Ready,
		Log:                   config.Log,
		Check:                 config.Check,
		OnResponse:            config.OnResponse,
		Contents:              config.Contents,
		As:                    config.As,
	})
	return &Server{Handler: handler, HTTP: handler, Worlds: worlds, Database: database, store: opened}, nil
}

// Serve answers requests on a listener until the context ends. Then it sends held responses, lets running requests
// finish, and returns nil. A nil security means plain HTTP.
func (s *Server) Serve(ctx context.Context, listener net.Listener, security *tls.Config) error {
	return s.HTTP.Serve(ctx, listener, security, s.Handler, service.ErrStopping)
}

// Close closes the store.
func (s *Server) Close() error { return s.store.Close() }

func loadCatalogue(path string) (*routes.Catalogue, error) {
	if path == "" {
		return routes.Default()
	}
	return routes.Load(path)
}

// identity implements server.Identity: service.Identity has clients and tokens, sandbox.Worlds has the worlds.
type identity struct {
	*service.Identity
	worlds *sandbox.Worlds
}

// OpenSession implements server.Identity.
func (i identity) OpenSession(ctx context.Context, token string) (server.Session, error) {
	found, err := i.FindToken(ctx, token)
	if err != nil {
		return server.Session{}, err
	}
	world, err := i.worlds.Current(ctx, found.ClientID)
	if err != nil {
		return server.Session{}, err
	}
	record, now := world.State()
	found = service.TokenIn(record, found)
	session := server.Session{
		World:  world,
		Scopes: found.Scopes,
		Token: payments.AccessTokenDescription{
			ClientID: found.ClientID, Scope: strings.Join(found.Scopes, " "),
			IssuedAt: found.IssuedAt, ExpiresAt: found.ExpiresAt,
		},
		Instance: record.Instance,
		Now:      now,
	}
	if !now.Before(found.ExpiresAt) {
		session.Expired = payments.NewProblem(payments.ProblemUnauthenticated,
			"The access token expired at %s.", found.ExpiresAt.Format(time.RFC3339))
	}
	return session, nil
}

// WorldOf implements server.Identity. If the service names its clients, no other client has a world.
func (i identity) WorldOf(ctx context.Context, clientID string) (server.World, error) {
	if _, named := i.Clients[clientID]; len(i.Clients) > 0 && !named {
		return nil, nil
	}
	world, err := i.worlds.Current(ctx, clientID)
	if err != nil {
		return nil, err
	}
	return world, nil
}
