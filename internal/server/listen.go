package server

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server is the handler of every operation. It serves connections too, of HTTP/1.1 only: what net/http answers by
// itself to a broken request could not be made a problem document on a connection of HTTP/2.
type Server struct{ handler *server }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.handler.watched {
		s.handler.watch(w, r, s.handler.serve)
		return
	}
	s.handler.serve(w, r) // with no more on its stack than it needs: many requests are held at once
}

// Bounds are what limits a client, with nothing left out.
func (s *Server) Bounds() Bounds { return s.handler.Bounds }

// Guard gives an HTTP server the bounds, and returns the listener that it is to serve: one on which every answer is the
// service's own. The TLS configuration is nil for plain HTTP. The HTTP server may have this one as its handler, or
// something around it.
func (s *Server) Guard(front *http.Server, listener net.Listener, security *tls.Config) net.Listener {
	bounds := s.handler.Bounds
	front.ReadHeaderTimeout = bounds.HeadTimeout
	front.ReadTimeout = bounds.RequestTimeout
	front.WriteTimeout = bounds.AnswerTimeout
	front.IdleTimeout = bounds.IdleTimeout
	front.MaxHeaderBytes = bounds.HeadBytes
	front.ConnContext, front.ConnState = withConn, connState
	front.DisableGeneralOptionsHandler = true // the answer to OPTIONS * is ours as well
	if security != nil {
		security = security.Clone()
		security.NextProtos = []string{"http/1.1"}
	}
	guarded := &connections{
		Listener: listener, server: s.handler, security: security,
		open: make(chan struct{}, bounds.Connections), closed: make(chan struct{}), silent: map[*conn]net.Conn{},
	}
	front.RegisterOnShutdown(guarded.hangUp)
	return guarded
}

// connections makes every connection one whose broken requests are answered with problem documents, and has so many open.
type connections struct {
	net.Listener
	server   *server
	security *tls.Config   // nil: plain
	open     chan struct{} // has one for each that is
	closing  sync.Once
	closed   chan struct{}
	failing  bool // the last time that one was to be accepted

	mu     sync.Mutex
	silent map[*conn]net.Conn // on which nothing was sent yet
}

// Close implements net.Listener.
func (l *connections) Close() error {
	l.closing.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// Accept implements net.Listener.
func (l *connections) Accept() (net.Conn, error) {
	select {
	case l.open <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	raw, err := l.Listener.Accept()
	if err != nil {
		<-l.open
		l.tell(err)
		return nil, err
	}
	l.failing = false
	c := &conn{Conn: raw, server: l.server, ended: sync.OnceFunc(func() { <-l.open })}
	c.heard = sync.OnceFunc(func() { l.hear(c) })
	c.awaiting.Store(true)
	l.mu.Lock()
	l.silent[c] = raw
	l.mu.Unlock()
	if l.security == nil {
		return c, nil
	}
	secure := tls.Server(raw, l.security)
	c.Conn, c.secure = secure, true
	return &secureConn{c, secure}, nil
}

// hear is called when something came on a connection, or it ended.
func (l *connections) hear(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.silent, c)
}

// hangUp ends connections on which nothing was sent. net/http, which does that with those that are idle, would give them five
// seconds to begin, and a service that stops would be held up by each that a client has opened in advance.
func (l *connections) hangUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, raw := range l.silent {
		_ = raw.Close() // whoever reads from it is told
	}
}

// tell has the log say that no connection can be accepted, as when too many files are open: net/http tries again and again, and
// clients wait. It is told once, until it goes well again.
func (l *connections) tell(err error) {
	if !l.failing && !errors.Is(err, net.ErrClosed) {
		l.server.Log.Error("no connection can be accepted", "error", err)
	}
	l.failing = true
}

// secureConn is a conn with TLS.
type secureConn struct {
	*conn
	tls *tls.Conn
}

// ConnectionState is how net/http learns that the connection is secure, before it reads from it. The handshake is made
// here: net/http would make it for a *tls.Conn only. A connection without one is over: it has brought no request that there could
// be an answer to, but for a plain one.
func (c *secureConn) ConnectionState() tls.ConnectionState {
	_ = c.tls.SetDeadline(time.Now().Add(c.server.Bounds.HeadTimeout))
	err := c.tls.Handshake() //nolint:noctx // the deadline ends it
	record, ok := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case err == nil:
	case ok && record.Conn != nil && looksLikeHTTP(record.RecordHeader):
		c.Conn = record.Conn
		_ = c.answerEarly(http.StatusBadRequest, "it came without TLS to a port that takes HTTPS only")
	default:
		c.over = true
		c.server.Log.Debug("no TLS connection", "error", err)
	}
	_ = c.tls.SetDeadline(time.Time{})
	return c.tls.ConnectionState()
}

// looksLikeHTTP says whether what came instead of a TLS record is the begin of a request.
func looksLikeHTTP(begin [5]byte) bool {
	switch string(begin[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "PATCH", "DELET", "OPTIO", "TRACE", "CONNE":
		return true
	}
	return false
}
