package server

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"maps"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// injectFault lets the sandbox delay the request, refuse it, cut its connection, or have its response corrupted.
func (x *exchange) injectFault() error {
	if x.session.World == nil || x.op.IsSandbox() || x.ofPage {
		return nil
	}
	delay, fault, err := x.session.World.NextFault(x.ctx, x.op.ID, x.op.Access == contract.Bearer)
	if err != nil {
		return err
	}
	if delay > 0 {
		if err := x.delay(delay); err != nil {
			return err
		}
	}
	if fault == nil {
		return nil
	}
	x.recordFault(*fault)
	switch fault.Action {
	case payments.SandboxFaultActionStatus:
		x.faultAnswers = true
		return problemOfFault(fault, x.op)
	case payments.SandboxFaultActionExpiredToken:
		return invalidToken(payments.NewProblem(payments.ProblemUnauthenticated,
			"The access token expired, by a fault of the sandbox."))
	case payments.SandboxFaultActionReset:
		x.response.corrupted = true
		x.resetConnection()
	default:
		x.response.corrupted = true
		x.corruption = fault.Action
		x.w = &bufferedResponse{header: x.response.Header().Clone(), status: http.StatusOK}
	}
	return nil
}

// recordFault records a fault for the request log as it was set, and for the report with this operation.
func (x *exchange) recordFault(fault payments.SandboxFault) {
	x.fault = fault.Rule()
	fault.Operation, fault.Times, fault.Percent = x.op.ID, 0, 0
	x.response.faults = append(x.response.faults, fault.Rule())
}

// delay delays the request. The client's time to accept the response begins afterwards. The delay of a read ends if its
// client goes away. A write always has its effect: it must not depend on when the service notices that.
func (x *exchange) delay(delay time.Duration) error {
	x.recordFault(payments.SandboxFault{
		Operation: x.op.ID, Action: payments.SandboxFaultActionDelay, Delay: delay.String(),
	})
	if x.op.Method != http.MethodGet {
		x.ctx = context.WithoutCancel(x.ctx)
	}
	x.endWithService()
	deadline := time.Now().Add(delay + x.server.config.Bounds.AnswerTimeout)
	_ = http.NewResponseController(x.w).SetWriteDeadline(deadline) // outside a connection there are no deadlines
	if wait.Sleep(x.ctx, delay) != nil {
		return x.ctx.Err() // problemOf looks at its cause
	}
	return nil
}

// typeBlank is the type of a problem that says no more than its status (RFC 9457 section 4.2.1).
const typeBlank = "about:blank"

// problemOfFault returns the problem with the status of a fault. Its kind is the first with this status.
func problemOfFault(fault *payments.SandboxFault, op *contract.Operation) error {
	problem := payments.NewProblem(payments.ProblemInternal, "A fault of the sandbox.")
	problem.Type, problem.Status = typeBlank, fault.Status
	problem.Title = cmp.Or(http.StatusText(fault.Status), "Status "+strconv.Itoa(fault.Status))
	for _, known := range payments.ProblemDescriptions {
		if known.Status == fault.Status && known.Type != payments.ProblemValidation {
			problem = payments.NewProblem(known.Type, "A fault of the sandbox.")
			break
		}
	}
	problem.RetryAfter = time.Duration(fault.RetryAfter) * time.Second
	switch fault.Status {
	case http.StatusUnauthorized:
		problem.Challenge = challengeBearer
		if op.Access == contract.Basic {
			problem.Challenge = challengeBasic
		}
	case http.StatusMethodNotAllowed: // the path keeps its other methods
		others := map[string]*contract.Operation{}
		for _, other := range contract.Operations {
			if other.Path == op.Path && other != op {
				others[other.Method] = other
			}
		}
		problem.Allow = allowedMethods(others)
	}
	return problem
}

// corruptResponse sends less than the buffered response, if a fault asks for it. The operation has had its effect.
func (x *exchange) corruptResponse() {
	buffered, ok := x.w.(*bufferedResponse)
	if !ok {
		return
	}
	w := &x.response
	if x.corruption == payments.SandboxFaultActionDrop {
		x.droppedStatus = buffered.status
		x.resetConnection()
	}
	header, body := w.Header(), buffered.body.Bytes()
	clear(header)
	maps.Copy(header, buffered.header)
	half := body[:len(body)/2]
	if x.corruption == payments.SandboxFaultActionMalformed && len(body) > 0 {
		header.Set("Content-Length", strconv.Itoa(len(half)))
	}
	w.WriteHeader(buffered.status)
	_, _ = w.Write(half)
	if x.corruption == payments.SandboxFaultActionTruncate {
		_ = http.NewResponseController(w).Flush() // if that fails, the response is also cut
		x.abort()
	}
}

// A bufferedResponse is a response that is kept in memory.
type bufferedResponse struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *bufferedResponse) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *bufferedResponse) WriteHeader(status int) { w.status = status }

// Write implements http.ResponseWriter.
func (w *bufferedResponse) Write(p []byte) (int, error) { return w.body.Write(p) }

// resetConnection cuts the connection, with a reset if it is TCP. It does not return.
func (x *exchange) resetConnection() {
	x.finishRequestLog()
	if conn, _, err := http.NewResponseController(&x.response).Hijack(); err == nil {
		inner := conn
		if secure, ok := conn.(*tls.Conn); ok {
			inner = secure.NetConn()
		}
		if tcp, ok := inner.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // close with RST
		}
		_ = inner.Close()
	}
	x.abort()
}
