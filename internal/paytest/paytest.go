// Package paytest runs the reference service inside a test, on a port of its own, with a clock that stands still until
// the test advances it. Every exchange with it is held to the OpenAPI document. Tests alone import it.
package paytest

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/reference"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/server"
)

// The client that tests log in as.
const (
	ClientID     = "sandbox"
	ClientSecret = "sandbox-secret"
)

// Start is what the clock of a new world shows.
var Start = time.Date(2026, time.January, 1, 9, 0, 0, 0, time.UTC)

// Service is a running reference service.
type Service struct {
	*reference.Service
	URL string
}

// Run starts a reference service that ends with the test.
func Run(t testing.TB, config reference.Config) *Service {
	t.Helper()
	if config.Clock.Mode == "" {
		config.Clock = sandbox.ClockSetting{Mode: payments.ClockModeManual, Start: Start}
	}
	config.Check = true
	if config.Audit == nil {
		config.Audit = failing{t}
	}
	running, err := reference.New(config)
	require.NoError(t, err)
	running.Handler = CheckContract(t, running.Handler)
	address, _ := Listen(t, running, nil)
	return &Service{Service: running, URL: "http://" + address}
}

// Listen has a service answer on a port of its own, with TLS where security is not nil, until stop or the end of the test, which
// wait for its end and close it.
func Listen(t testing.TB, service *reference.Service, security *tls.Config) (address string, stop func()) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- service.Serve(ctx, listener, security, slog.New(slog.DiscardHandler)) }()
	stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, errors.Join(<-done, service.Close()))
	})
	t.Cleanup(stop)
	return listener.Addr().String(), stop
}

// failing fails a test whose service finds that it broke the contract itself.
type failing struct{ t testing.TB }

// Answered implements server.Audit.
func (f failing) Answered(e server.Exchange) {
	for _, violation := range e.Violations {
		f.t.Errorf("%s %s → %d breaks the contract at %q: %s", e.Method, e.Path, e.Status, violation.Pointer, violation.Reason)
	}
}

// Advance moves the clock of the test client's world and returns when everything due has happened.
func (s *Service) Advance(t testing.TB, d time.Duration) {
	t.Helper()
	world, err := s.Worlds.Of(t.Context(), ClientID)
	require.NoError(t, err)
	require.NoError(t, world.Advance(t.Context(), d))
}
