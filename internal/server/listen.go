package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Bounds limit the time and size that clients may use. A zero field has its default.
type Bounds struct {
	// HeadTimeout is how long the TLS handshake of a connection may take, and then the head of a request.
	HeadTimeout time.Duration
	// RequestTimeout is how long a client may take to send a whole request.
	RequestTimeout time.Duration
	// AnswerTimeout is how long a response may take, from the end of the request's head until the client has accepted
	// it.
	AnswerTimeout time.Duration
	// IdleTimeout is how long a connection is kept between two requests.
	IdleTimeout time.Duration
	// StopTimeout is how long running requests may take when the service stops.
	StopTimeout time.Duration
	// OpenRequests is the most unanswered requests at a time. More are refused.
	OpenRequests int
	// BodyBytes is the most bytes of a request's body. SnapshotBytes is for a body with a snapshot.
	BodyBytes, SnapshotBytes int64
}

// Bounds of a request's head. RFC 9110 section 4.1 recommends to read targets of at least 8000 bytes.
const (
	maxHeadBytes   = 32 << 10
	maxTargetBytes = 8 << 10
)

// withDefaults returns the bounds with a default for every field that is zero.
func (b Bounds) withDefaults() Bounds {
	setDefault(&b.HeadTimeout, 10*time.Second)
	setDefault(&b.RequestTimeout, 30*time.Second)
	setDefault(&b.AnswerTimeout, maxWait+30*time.Second)
	setDefault(&b.IdleTimeout, 2*time.Minute)
	setDefault(&b.StopTimeout, 5*time.Second)
	setDefault(&b.OpenRequests, 1<<14)
	setDefault(&b.BodyBytes, 1<<20)
	setDefault(&b.SnapshotBytes, 64<<20)
	return b
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Serve answers requests on a listener until ctx ends. Then it accepts no more connections, and closes idle ones.
// Requests that wait for a change end with the cause stopping in their contexts. Serve returns nil when the others have
// finished. The handler is the server or a wrapper. The TLS configuration is nil for plain HTTP. A server serves once.
func (s *Server) Serve(
	ctx context.Context, listener net.Listener, security *tls.Config, handler http.Handler, stopping error,
) error {
	requests, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	service, stop := context.WithCancelCause(requests)
	defer stop(nil)
	s.service = service
	if security != nil {
		security = security.Clone()
		security.NextProtos = []string{"http/1.1"}
		listener = tls.NewListener(listener, security)
	}
	listener = loggedListener{listener, s.config.Log}
	unused := unusedConnections{open: map[net.Conn]bool{}}
	bounds := s.config.Bounds
	httpServer := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: bounds.HeadTimeout,
		ReadTimeout:       bounds.RequestTimeout,
		WriteTimeout:      bounds.AnswerTimeout,
		IdleTimeout:       bounds.IdleTimeout,
		MaxHeaderBytes:    maxHeadBytes,
		BaseContext:       func(net.Listener) context.Context { return requests },
		ConnState:         unused.track,
		ErrorLog:          slog.NewLogLogger(s.config.Log.Handler(), slog.LevelDebug),

		DisableGeneralOptionsHandler: true, // the server itself answers OPTIONS *
	}
	httpServer.RegisterOnShutdown(unused.close)
	stopped := make(chan error, 1)
	go func() { stopped <- httpServer.Serve(listener) }()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
	}
	stop(stopping)
	deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), bounds.StopTimeout)
	defer cancel()
	if err := httpServer.Shutdown(deadline); err != nil {
		s.config.Log.WarnContext(ctx, "connections were cut that did not end in time", "after", bounds.StopTimeout)
		return httpServer.Close()
	}
	return nil
}

// A loggedListener logs why a connection was not accepted, such as too many open files.
type loggedListener struct {
	net.Listener
	log *slog.Logger
}

// Accept implements net.Listener.
func (l loggedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil && !errors.Is(err, net.ErrClosed) {
		l.log.Warn("no connection was accepted", "error", err)
	}
	return conn, err
}

// unusedConnections are connections without a request yet. Clients open some in advance. At shutdown, net/http closes
// idle connections but would wait five seconds for these.
type unusedConnections struct {
	mu   sync.Mutex
	open map[net.Conn]bool
}

// track implements http.Server.ConnState.
func (u *unusedConnections) track(c net.Conn, state http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if state == http.StateNew {
		u.open[c] = true
	} else {
		delete(u.open, c)
	}
}

// close closes them.
func (u *unusedConnections) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for c := range u.open {
		if secure, ok := c.(*tls.Conn); ok {
			c = secure.NetConn() // closing the TLS connection would wait for a handshake
		}
		_ = c.Close()
	}
}
