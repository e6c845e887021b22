package server

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// A conn is a connection on which broken requests are answered with problem documents. net/http refuses a request that
// it cannot read before it calls a handler, with a response in plain text. conn recognises these responses by their
// form when they are written, and writes a problem document in their place. It also sends the head of a response and
// its body together.
type conn struct {
	net.Conn
	server  *Server
	service context.Context // ends when the service stops, which requests may outlive
	release func()          // frees the connection's slot in the listener
	unused  bool            // no request has begun
	linger  bool            // the client may still be sending what is not read
	body    int             // the length of the body that is sent next, if it is to be sent together with its head
	begun   *[]byte         // the beginning of that response, in one of bodyBuffers; nil: none waits for its rest
}

type connKey struct{}

// withConn implements http.Server.ConnContext. The context of the service ends when it stops.
func withConn(ctx, service context.Context, c net.Conn) context.Context {
	own := ownConn(c)
	own.service = service
	return context.WithValue(ctx, connKey{}, own)
}

// connOf returns the connection of a request; nil if it did not come through Serve.
func connOf(r *http.Request) *conn {
	c, _ := r.Context().Value(connKey{}).(*conn)
	return c
}

func ownConn(c net.Conn) *conn {
	if secure, ok := c.(*secureConn); ok {
		return secure.conn
	}
	return c.(*conn)
}

// closeConnection closes the connection after the response, whatever the client still sends.
func (x *exchange) closeConnection() {
	x.w.Header().Set("Connection", "close")
	if c := connOf(x.r); c != nil {
		c.linger = true
	}
}

// How the connection ends on which a client may still be sending.
const (
	lingerTime  = 500 * time.Millisecond // as long as net/http waits where it does the same
	lingerBytes = 256 << 10
)

// Close implements net.Conn. If the client may still be sending, it reads on for a moment: otherwise the client's
// system could discard the response before the client has read it (RFC 9112 section 9.6).
func (c *conn) Close() error {
	defer c.release()
	if c.linger && c.CloseWrite() == nil {
		_ = c.Conn.SetReadDeadline(time.Now().Add(lingerTime))
		_, _ = io.CopyN(io.Discard, c.Conn, lingerBytes)
	}
	return c.Conn.Close()
}

// CloseWrite ends the sending side. net/http calls it where it leaves a part of a request unread.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// NetConn returns the underlying connection.
func (c *conn) NetConn() net.Conn { return c.Conn }

// togetherBytes is the longest body that is sent together with its head. net/http alone sends what fits into its buffer
// of 4 KiB, and then the rest with a second system call, in which it would spend a tenth of a route selection. A body
// that waits is no larger than what is not counted of an exchange.
const togetherBytes = uncountedBytes

// sendTogether has the head of the response and its body, which is written with one call, sent with one system call. If
// net/http sends a part of the body, the next thing that it sends is the rest.
func (x *exchange) sendTogether(length int) {
	if c := connOf(x.r); c != nil && x.w == &x.response && length <= togetherBytes {
		c.body = length
	}
}

// Write implements net.Conn.
func (c *conn) Write(p []byte) (int, error) {
	if c.begun != nil {
		return len(p), c.writeRest(p)
	}
	if problem := protocolProblem(p); problem != nil {
		return len(p), c.writeProblem(problem)
	}
	if length := c.body; length > 0 {
		c.body = 0
		if _, body, _ := bytes.Cut(p, []byte("\r\n\r\n")); 0 < len(body) && len(body) < length {
			c.begun = bodyBuffers.Get().(*[]byte)
			*c.begun = append((*c.begun)[:0], p...)
			return len(p), nil
		}
	}
	return c.Conn.Write(p)
}

// writeRest sends a response whose beginning waits for this rest.
func (c *conn) writeRest(rest []byte) error {
	whole := append(*c.begun, rest...)
	_, err := c.Conn.Write(whole)
	*c.begun = whole
	bodyBuffers.Put(c.begun)
	c.begun = nil
	return err
}

// The forms of net/http's own responses, see conn.serve and response.sendExpectationFailed in net/http/server.go. No
// response of a handler has them: each has a Cache-Control header before its Content-Type.
const (
	statusPrefix      = "HTTP/1.1 "
	plainTextHeader   = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
	expectationFailed = "HTTP/1.1 417 Expectation Failed\r\nConnection: close\r\nDate: "
)

// protocolProblem returns the problem that one of net/http's own responses stands for; nil if p is none.
func protocolProblem(p []byte) *payments.ProblemError {
	if len(p) <= len(statusPrefix) || p[len(statusPrefix)] < '4' || !bytes.HasPrefix(p, []byte(statusPrefix)) {
		return nil
	}
	if bytes.HasPrefix(p, []byte(expectationFailed)) {
		return payments.NewProblem(payments.KindExpectationFailed,
			"The only expectation that the service supports is 100-continue.")
	}
	line, _, found := bytes.Cut(p[len(statusPrefix):], []byte(plainTextHeader))
	if !found || bytes.IndexByte(line, '\n') >= 0 {
		return nil
	}
	code, text, _ := bytes.Cut(line, []byte(" "))
	switch status, _ := strconv.Atoi(string(code)); status {
	case 0: // not a status
		return nil
	case http.StatusHTTPVersionNotSupported:
		return payments.NewProblem(payments.KindHTTPVersion, "The service speaks HTTP/1.1 here.")
	case http.StatusRequestHeaderFieldsTooLarge:
		return payments.NewProblem(payments.KindHeaderTooLarge,
			"The head of the request is larger than the service reads.")
	case http.StatusNotImplemented:
		return payments.NewProblem(payments.KindNotImplemented,
			"The service knows no other transfer coding than chunked, once.")
	}
	_, reason, _ := bytes.Cut(text, []byte(": "))
	return malformed("The request cannot be read: %s.", cmp.Or(malformedHeads[string(reason)], "its head is malformed"))
}

// malformedHeads describes the reasons that net/http gives, see conn.readRequest in net/http/server.go.
var malformedHeads = map[string]string{
	"missing required Host header": "it has no Host header",
	"malformed Host header":        "its Host header names no host",
	"invalid header name":          "the name of a header is malformed",
}

// writeProblem answers a request of which nothing is known. The connection ends with it.
func (c *conn) writeProblem(problem *payments.ProblemError) error {
	w := &bufferedResponse{header: http.Header{}, status: problem.Status}
	w.header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	x := c.server.newExchange(w, &http.Request{URL: &url.URL{}, Header: http.Header{}})
	x.sendProblem(problem)
	if c.server.records {
		x.report()
	}
	response := http.Response{
		StatusCode: w.status, ProtoMajor: 1, ProtoMinor: 1, Close: true,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()),
	}
	var text bytes.Buffer
	_ = response.Write(&text) // a buffer cannot fail
	c.linger = true
	_ = c.SetReadDeadline(time.Now()) // net/http would wait for a body that Expect holds back
	_ = c.SetWriteDeadline(time.Now().Add(lingerTime))
	_, err := c.Conn.Write(text.Bytes())
	return err
}

// secureConn is a conn with TLS. It is a type of its own, as net/http takes a connection with ConnectionState for a
// secure one.
type secureConn struct{ *conn }

// ConnectionState makes the handshake. net/http calls it before it reads from the connection.
func (c *secureConn) ConnectionState() tls.ConnectionState {
	secure := c.Conn.(*tls.Conn)
	_ = secure.SetDeadline(time.Now().Add(c.server.config.Bounds.HeadTimeout))
	err := secure.Handshake() //nolint:noctx // the deadline ends it
	_ = secure.SetDeadline(time.Time{})
	if err == nil {
		return secure.ConnectionState()
	}
	c.Conn = secure.NetConn() // on which net/http's next read fails
	record, ok := errors.AsType[tls.RecordHeaderError](err)
	if ok && record.Conn != nil && 'A' <= record.RecordHeader[0] && record.RecordHeader[0] <= 'Z' { // an HTTP method
		_ = c.writeProblem(malformed("The request cannot be read: it came without TLS to a port that takes HTTPS only."))
	} else {
		c.server.config.Log.Debug("no TLS connection", "error", err)
	}
	_ = c.Close()
	return tls.ConnectionState{}
}
