package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	// keptHead is how much of a request's head a connection remembers.
	keptHead = 8 << 10
	// earlyTimeout is how long a client may take to accept an early answer, and then to hang up.
	earlyTimeout = 500 * time.Millisecond
	// earlyDrain is the most bytes that are read from a client that does not hang up after an early answer.
	earlyDrain = 256 << 10
)

// A conn is a connection on which every answer is the service's own. net/http refuses a request that it cannot read
// before any handler runs, in plain text; such an early answer is known by its form when it is written, and a problem
// document goes out in its place. A request's head that stays incomplete gets an answer as well, for which net/http has
// none. All that this costs a request that is well is a copy of its head.
type conn struct {
	net.Conn
	server *server
	secure bool
	heard  func() // tells that something came, or that it ended; may be called again
	ended  func() // makes room for another one; may be called again

	requests context.Context // what those of all connections come from: it ends when the service stops

	// awaiting says that the head of a request is awaited or being read. It is set by net/http's goroutine of the
	// connection; a second goroutine reads while a handler runs.
	awaiting atomic.Bool
	waits    int    // how many deadlines were set since the head is awaited
	begun    bool   // something of the head that is awaited has been read
	behind   bool   // its begin came with the request before it, so that it is not known
	room     int    // of the buffer that net/http reads into
	head     []byte // of the latest request, as far as it is known and kept
	stray    []byte // of the next request, which came while a handler ran
	over     bool   // nothing more is read or answered
	unread   bool   // the client may still be sending what nobody reads
}

type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	own := below(c)
	own.requests = ctx
	return context.WithValue(ctx, connKey{}, own)
}

// connOf is the connection that a request came on; nil when it is none of ours.
func connOf(r *http.Request) *conn {
	c, _ := r.Context().Value(connKey{}).(*conn)
	return c
}

// below finds the conn in what Accept returned.
func below(c net.Conn) *conn {
	if secure, ok := c.(*secureConn); ok {
		return secure.conn
	}
	return c.(*conn)
}

// connState follows what net/http does with a connection.
func connState(c net.Conn, state http.ConnState) {
	switch own := below(c); state {
	case http.StateActive:
		own.awaiting.Store(false)
	case http.StateIdle:
		own.head, own.stray = append(own.head[:0], own.stray...), own.stray[:0]
		own.waits, own.begun, own.behind = 0, false, false
		own.awaiting.Store(true)
	case http.StateNew, http.StateHijacked, http.StateClosed:
	}
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	if c.over {
		return 0, io.EOF
	}
	if c.awaiting.Load() && !c.begun {
		c.begin(len(p))
	}
	n, err := c.Conn.Read(p)
	c.heard()
	for err == nil && len(c.head) == 0 && !c.behind && c.awaiting.Load() {
		rest := bytes.TrimLeft(p[:n], "\r\n") // a client may send an empty line before a request (RFC 9112 section 2.2)
		if n = copy(p, rest); n > 0 {
			break
		}
		n, err = c.Conn.Read(p)
	}
	switch {
	case c.awaiting.Load():
		if !c.behind {
			c.head = append(c.head, p[:min(n, keptHead-len(c.head))]...)
		}
		if (len(c.head) > 0 || c.behind && c.waits > 1) && errors.Is(err, os.ErrDeadlineExceeded) {
			_ = c.answerEarly(http.StatusRequestTimeout, "") // the connection ends, be it read or not
		}
	case len(p) == 1: // net/http looks whether the client hangs up
		c.stray = append(c.stray[:0], p[:n]...)
	}
	return n, err
}

// begin finds out whether the head that is awaited begins with what is read next, for which net/http offers so much room: what it
// has of the head already, since that came with the request before, is missing there.
func (c *conn) begin(offered int) {
	c.begun = true
	if c.room == 0 {
		c.room = offered // to the first read of a connection, before which nothing came
	}
	if offered+len(c.head) != c.room {
		c.startsBehind()
	}
}

// SetReadDeadline implements net.Conn. net/http waits for the first bytes of another request until one moment, and for the rest of
// its head until another: where nothing was read before it waits for the rest, the first bytes came with the request before.
func (c *conn) SetReadDeadline(t time.Time) error {
	if c.awaiting.Load() {
		c.waits++
		if c.waits > 1 && !c.begun {
			c.startsBehind()
		}
	}
	return c.Conn.SetReadDeadline(t)
}

func (c *conn) startsBehind() { c.behind, c.head = true, c.head[:0] }

// Write implements net.Conn.
func (c *conn) Write(p []byte) (int, error) {
	if c.over {
		return len(p), nil // an incomplete head has its answer
	}
	if status, reason, early := readEarly(p); early {
		return len(p), c.answerEarly(status, reason)
	}
	return c.Conn.Write(p)
}

func (c *conn) answerEarly(status int, reason string) error {
	c.over, c.unread = true, true
	_ = c.SetWriteDeadline(time.Now().Add(earlyTimeout))
	_, err := c.Conn.Write(c.server.earlyAnswer(status, reason, c.head, c.secure))
	return err
}

// last has the connection end with an answer, whatever the client has sent behind the request or still sends.
func (c *conn) last(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	c.unread = true
}

// CloseWrite tells the client that nothing more comes. net/http calls it where it leaves a part of a request unread.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// Close implements net.Conn. A client that is still sending would be reset before it has read an answer, so what it sends is
// read for a while (RFC 9112 section 9.6).
func (c *conn) Close() error {
	defer c.ended()
	c.heard()
	if c.unread && c.CloseWrite() == nil {
		_ = c.Conn.SetReadDeadline(time.Now().Add(earlyTimeout))
		_, _ = io.CopyN(io.Discard, c.Conn, earlyDrain)
	}
	return c.Conn.Close()
}

// NetConn is the connection beneath.
func (c *conn) NetConn() net.Conn { return c.Conn }

// The forms of net/http's early answers, see conn.serve and response.sendExpectationFailed in net/http/server.go. No
// answer of the service's own has them: each has a Cache-Control header at their place.
const (
	earlyVersion     = "HTTP/1.1 "
	earlyHeader      = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
	earlyExpectation = "HTTP/1.1 417 Expectation Failed\r\nConnection: close\r\nDate: "
)

// readEarly says whether net/http writes an early answer, of which status, and the reason where it gives one.
func readEarly(p []byte) (status int, reason string, early bool) {
	if len(p) < len(earlyVersion)+3 || p[9] < '4' || !bytes.HasPrefix(p, []byte(earlyVersion)) {
		return 0, "", false
	}
	if bytes.HasPrefix(p, []byte(earlyExpectation)) {
		return http.StatusExpectationFailed, "", true
	}
	line, _, found := bytes.Cut(p, []byte(earlyHeader))
	if !found || bytes.IndexByte(line, '\n') >= 0 {
		return 0, "", false
	}
	status, err := strconv.Atoi(string(p[9:12]))
	_, text, _ := bytes.Cut(line, []byte(": "))
	return status, string(text), err == nil
}
