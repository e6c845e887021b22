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

// Serve answers requests on a listener until ctx ends. For Config.StopDelay it then goes on, but is not ready any more
// and closes each connection after its next response. After that it accepts none, and idle connections are closed.
// Requests that wait for a change end, with the cause stopping in their contexts; when the others have finished, Serve
// returns nil. The handler is the server itself or something around it. The TLS configuration is nil for plain HTTP.
func (s *Server) Serve(
	ctx context.Context, listener net.Listener, security *tls.Config, handler http.Handler, stopping error,
) error {
	requests, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	service, stop := context.WithCancelCause(requests)
	defer stop(nil)
	bounds := s.config.Bounds
	if security != nil {
		security = security.Clone()
		security.NextProtos = []string{"http/1.1"}
	}
	conns := &connListener{
		Listener: listener, server: s, security: security,
		slots: make(chan struct{}, bounds.Connections), closed: make(chan struct{}), unused: map[*conn]net.Conn{},
	}
	httpServer := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: bounds.HeadTimeout,
		ReadTimeout:       bounds.RequestTimeout,
		WriteTimeout:      bounds.AnswerTimeout,
		IdleTimeout:       bounds.IdleTimeout,
		MaxHeaderBytes:    bounds.HeadBytes,
		BaseContext:       func(net.Listener) context.Context { return requests },
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return withConn(ctx, service, c) },
		ConnState:         conns.track,
		ErrorLog:          slog.NewLogLogger(s.config.Log.Handler(), slog.LevelDebug),

		DisableGeneralOptionsHandler: true, // the server itself answers OPTIONS *
	}
	httpServer.RegisterOnShutdown(conns.closeUnused)
	stopped := make(chan error, 1)
	go func() { stopped <- httpServer.Serve(conns) }()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
	}
	s.draining.Store(true)
	if s.config.StopDelay > 0 {
		s.config.Log.InfoContext(ctx, "the service is not ready any more, and stops after a delay",
			"delay", s.config.StopDelay.String())
		select {
		case err := <-stopped:
			return err
		case <-time.After(s.config.StopDelay):
		}
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

// A connListener accepts at most cap(slots) connections at a time.
type connListener struct {
	net.Listener
	server   *Server
	security *tls.Config   // nil: plain HTTP
	slots    chan struct{} // holds an element for each open connection
	close    sync.Once
	closed   chan struct{}
	failing  bool // the last Accept failed

	mu     sync.Mutex
	unused map[*conn]net.Conn // connections on which no request has begun, with the underlying ones
}

// Close implements net.Listener.
func (l *connListener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// Accept implements net.Listener.
func (l *connListener) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	raw, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		if !l.failing && !errors.Is(err, net.ErrClosed) { // net/http tries again: only the first failure is logged
			l.server.config.Log.Error("no connection can be accepted", "error", err)
		}
		l.failing = true
		return nil, err
	}
	l.failing = false
	c := &conn{Conn: raw, server: l.server, unused: true, release: sync.OnceFunc(func() { <-l.slots })}
	l.mu.Lock()
	l.unused[c] = raw
	l.mu.Unlock()
	if l.security == nil {
		return c, nil
	}
	c.Conn = tls.Server(raw, l.security)
	return &secureConn{c}, nil
}

// track implements http.Server.ConnState.
func (l *connListener) track(c net.Conn, state http.ConnState) {
	if own := ownConn(c); own.unused && state != http.StateNew {
		own.unused = false
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.unused, own)
	}
}

// closeUnused closes connections on which no request has begun: clients open some in advance. net/http closes idle
// connections when it shuts down, but would wait five seconds for these.
func (l *connListener) closeUnused() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, raw := range l.unused {
		_ = raw.Close() // net/http's read fails, and it closes the conn
	}
}
