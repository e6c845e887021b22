// Package paytest runs the reference service inside a test, on its own port. Its clock stands still until the test
// advances it. Every exchange is checked against the OpenAPI document. Only tests import it.
package paytest

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/server"
)

// The client that tests log in as.
const (
	ClientID     = "sandbox"
	ClientSecret = "sandbox-secret"
)

// Start is the initial time of a new world's clock.
var Start = time.Date(2026, time.January, 1, 9, 0, 0, 0, time.UTC)

// Service is a running reference service.
type Service struct {
	*refserver.Server
	URL string
}

// Run starts a reference service that ends with the test.
func Run(t testing.TB, config refserver.Config) *Service {
	t.Helper()
	if config.Clock.Mode == "" {
		config.Clock = sandbox.ClockSetting{Mode: payments.ClockModeManual, Start: Start}
	}
	config.Check = true
	if config.OnResponse == nil {
		config.OnResponse = failOnViolations(t)
	}
	running, err := refserver.New(config)
	require.NoError(t, err)
	running.Handler = CheckContract(t, running.Handler)
	address, _ := Listen(t, running, nil)
	return &Service{Server: running, URL: "http://" + address}
}

// Listen runs a service on its own port, with TLS if security is not nil. stop ends the service, waits for it and
// closes it; so does the end of the test.
func Listen(t testing.TB, service *refserver.Server, security *tls.Config) (address string, stop func()) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- service.Serve(ctx, listener, security) }()
	stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, errors.Join(<-done, service.Close()))
	})
	t.Cleanup(stop)
	return listener.Addr().String(), stop
}

// failOnViolations fails the test if the service reports that it violated the contract.
func failOnViolations(t testing.TB) func(server.ResponseSummary) {
	return func(r server.ResponseSummary) {
		for _, violation := range r.Violations {
			t.Errorf("%s %s → %d violates the contract at %q: %s", r.Method, r.Path, r.Status, violation.Place, violation.Reason)
		}
	}
}

// Advance moves the clock of the test client's world and returns when everything due has happened.
func (s *Service) Advance(t testing.TB, d time.Duration) {
	t.Helper()
	world, err := s.Worlds.Of(t.Context(), ClientID)
	require.NoError(t, err)
	require.NoError(t, world.Advance(t.Context(), d))
}

// A Token is an access token that cannot be renewed. It implements client.TokenSource.
type Token string

// Token implements client.TokenSource.
func (t Token) Token(context.Context) (string, error) { return string(t), nil }

// Renew implements client.TokenSource.
func (Token) Renew(context.Context, string) (string, error) { return "", errors.ErrUnsupported }
