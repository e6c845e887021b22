package server

import (
	"net/http"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// serve answers one request, while the sandbox watches.
func (c *call) serve(handle handler) {
	err := c.authorize()
	if err == nil && c.op.Access == contract.Basic {
		err = c.watchClient()
	}
	c.name()
	c.observe()
	defer c.conclude() // also when a fault cuts the connection
	if err = c.limit(err); err == nil {
		err = c.alone(handle)
	}
	if err != nil {
		c.fail(err)
	}
}

// watchClient finds who watches a request that presents a client's credentials. Ones that cannot be read are nobody's.
func (c *call) watchClient() (err error) {
	id, _, malformed := basicCredentials(c.r.Header.Values("Authorization"))
	if malformed == nil {
		c.session.Watch, err = c.server.Identity.WatchClient(c.r.Context(), id)
	}
	return err
}

// observe begins to take down what the request is answered with, where somebody watches.
func (c *call) observe() {
	watch := c.session.Watch
	if watch == nil || c.op.IsSandbox() {
		return
	}
	seen := &observed{ResponseWriter: c.w, watch: watch, life: watch.Instance(), entry: payments.SandboxRequest{
		Time: watch.Now(), Method: c.r.Method, Path: c.r.URL.Path, Operation: c.op.ID,
	}}
	c.w, c.seen = seen, seen
	c.r = c.r.WithContext(payments.WithLife(c.r.Context(), &seen.answered))
	seen.key, _ = idempotencyKey(c.r.Header.Values("Idempotency-Key"))
}

// conclude ends what observe began.
func (c *call) conclude() {
	if c.seen != nil {
		c.seen.entry.RequestID, c.seen.entry.Fault = c.requestID, c.fault
		c.seen.watch.LogRequest(c.seen.life, c.seen.entry, c.seen.key)
	}
}

// observed remembers the status of an answer, and keeps the name of the world in it true.
type observed struct {
	http.ResponseWriter
	watch    Watch
	life     string // of the world in which the request began
	answered string // the life that the service last looked at, or changed, for it; empty: none
	entry    payments.SandboxRequest
	key      string // for idempotency; empty: none that can be read
}

// begin is called with the status of an answer before its header is sent. A request that was held or delayed may have met
// another life than that in which it began, and there may be yet another one by now.
func (o *observed) begin(status int) {
	o.entry.Status = status
	world := o.Header()[headerWorld]
	switch {
	case len(world) == 0:
	case o.answered != "":
		world[0] = o.answered
	default:
		world[0] = o.watch.Instance()
	}
}

// WriteHeader implements http.ResponseWriter.
func (o *observed) WriteHeader(status int) {
	if o.entry.Status == 0 && status >= http.StatusOK {
		o.begin(status)
	}
	o.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (o *observed) Write(p []byte) (int, error) {
	if o.entry.Status == 0 {
		o.begin(http.StatusOK)
	}
	return o.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach what is beneath.
func (o *observed) Unwrap() http.ResponseWriter { return o.ResponseWriter }
