package server

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// withFaults runs the handler, unless the sandbox has something go wrong before; or has it go wrong with the answer.
func (c *call) withFaults(handle handler) error {
	if c.session.Watch == nil || c.op.IsSandbox() {
		return c.run(handle)
	}
	delay, fault := c.session.Watch.NextFault(c.op.ID, c.op.Access == contract.Bearer)
	if delay > 0 {
		if c.op.Method != http.MethodGet {
			defer c.outlast()()
		}
		if err := c.holdBack(delay); err != nil {
			return err
		}
	}
	if fault == nil {
		return c.run(handle)
	}
	c.fault = fault.Rule()
	c.server.audit(c.r).fault(c.op, *fault)
	switch fault.Action {
	case payments.SandboxFaultActionStatus:
		return injected(fault, c.op)
	case payments.SandboxFaultActionExpiredToken:
		return invalidToken(payments.Refuse(payments.KindUnauthenticated, "The access token expired, by a fault of the sandbox."))
	case payments.SandboxFaultActionReset:
		abort(c.w)
	default:
		c.spoil(fault.Action, handle)
	}
	return nil
}

// holdBack has an answer come late. It is a function of its own so that the many requests that are held need no stack for
// it.
func (c *call) holdBack(delay time.Duration) error {
	late := payments.SandboxFault{Operation: c.op.ID, Action: payments.SandboxFaultActionDelay, Delay: delay.String()}
	c.fault = late.Rule()
	c.server.audit(c.r).fault(c.op, late)
	// The time that the client has to accept the answer begins behind the delay.
	_ = http.NewResponseController(c.w).SetWriteDeadline(time.Now().Add(delay + c.server.Bounds.AnswerTimeout)) // where there are deadlines
	ctx := c.r.Context()
	if wait.Sleep(ctx, delay) != nil {
		return ctx.Err() // whose cause is looked at where the failure is answered
	}
	return nil
}

// outlast has a write that is held back be done later although its client gives up meanwhile: whether that is noticed would be
// chance. It is read before, so that all of it is there by then. Only a service that stops does not do it. The caller calls
// stop when it is done.
func (c *call) outlast() (stop func() bool) {
	body, err := c.readBody()
	c.ahead = &received{body, err}
	lasting := context.WithoutCancel(c.r.Context())
	own := connOf(c.r)
	if own == nil {
		c.r = c.r.WithContext(lasting)
		return func() bool { return true }
	}
	ctx, cancel := context.WithCancelCause(lasting)
	c.r = c.r.WithContext(ctx)
	return context.AfterFunc(own.requests, func() { cancel(context.Cause(own.requests)) })
}

// blank is the type of a problem that its status says all about (RFC 9457 section 4.2.1).
const blank = "about:blank"

// injected is the problem of a status, of the first type that has it, as an operation answers with it.
func injected(fault *payments.SandboxFault, op *contract.Operation) error {
	refusal := payments.Refuse(payments.KindInternal, "A fault of the sandbox.")
	refusal.Type, refusal.Title, refusal.Status = blank, http.StatusText(fault.Status), fault.Status
	if refusal.Title == "" {
		refusal.Title = "Status " + strconv.Itoa(fault.Status)
	}
	for _, known := range payments.ProblemTypes() {
		if known.Status == fault.Status && known.Type != string(payments.KindValidation) {
			refusal = payments.Refuse(payments.Kind(known.Type), "A fault of the sandbox.")
			break
		}
	}
	refusal.RetryAfter = time.Duration(fault.RetryAfter) * time.Second
	switch fault.Status {
	case http.StatusUnauthorized:
		refusal.Challenge = challengeBearer
		if op.Access == contract.Basic {
			refusal.Challenge = challengeBasic
		}
	case http.StatusMethodNotAllowed:
		refusal.Allow = beside(op).allowed()
	}
	return &injectedRefusal{refusal}
}

// beside are the other operations of the path.
func beside(op *contract.Operation) methods {
	others := methods{}
	for _, other := range contract.Operations {
		if other.Path == op.Path && other != op {
			others[other.Method] = endpoint{op: other}
		}
	}
	return others
}

// injectedRefusal is a refusal that was asked for: nothing failed.
type injectedRefusal struct{ refusal *payments.Refusal }

// Error implements error.
func (i *injectedRefusal) Error() string { return i.refusal.Error() }

// Unwrap is the refusal.
func (i *injectedRefusal) Unwrap() error { return i.refusal }

// spoil runs the handler, so that the request has its effect, and sends less than its answer.
func (c *call) spoil(action payments.SandboxFaultAction, handle handler) {
	w, made := c.w, &withheld{header: c.w.Header().Clone(), status: http.StatusOK}
	c.w = made
	if err := c.run(handle); err != nil {
		c.fail(err)
	}
	c.w = w
	if action == payments.SandboxFaultActionDrop {
		if c.seen != nil {
			c.seen.entry.Status = made.status
		}
		abort(w)
	}
	header, body := w.Header(), made.body.Bytes()
	clear(header)
	for name, values := range made.header {
		header[name] = values
	}
	sent := body[:len(body)/2]
	if action == payments.SandboxFaultActionMalformed && len(body) > 0 {
		header.Set("Content-Length", strconv.Itoa(len(sent)))
	}
	w.WriteHeader(made.status)
	_, _ = w.Write(sent)
	if action == payments.SandboxFaultActionTruncate {
		_ = http.NewResponseController(w).Flush() // what cannot be flushed is cut off as well
		panic(http.ErrAbortHandler)
	}
}

// withheld is an answer that has not been sent.
type withheld struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *withheld) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *withheld) WriteHeader(status int) { w.status = status }

// Write implements http.ResponseWriter.
func (w *withheld) Write(p []byte) (int, error) { return w.body.Write(p) }

// abort cuts the connection, with a reset where it is TCP, and does not return. Over HTTP/2 it resets the stream.
func abort(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		inner := conn
		for outer, ok := inner.(interface{ NetConn() net.Conn }); ok; outer, ok = inner.(interface{ NetConn() net.Conn }) {
			inner = outer.NetConn()
		}
		if tcp, ok := inner.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // close with RST
		}
		_ = inner.Close()
		_ = conn.Close() // makes room for another one
	}
	panic(http.ErrAbortHandler)
}
