package server

import (
	"crypto/sha256"
	"encoding/hex"
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
	defer c.observe()() // also when a fault cuts the connection
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

// observe takes down what the request is answered with; the result is called when it has been answered.
func (c *call) observe() (answered func()) {
	watch := c.session.Watch
	if watch == nil || isSandbox(c.op) {
		return func() {}
	}
	c.seen = &observed{ResponseWriter: c.w}
	c.w = c.seen
	entry := payments.SandboxRequest{Time: watch.Now(), Method: c.r.Method, Path: c.r.URL.Path, Operation: c.op.ID}
	if key, ok := idempotencyKey(c.r.Header.Values("Idempotency-Key")); ok {
		sum := sha256.Sum256([]byte(key))
		entry.IdempotencyKeyHash = hex.EncodeToString(sum[:])
	}
	return func() {
		entry.Status, entry.RequestID, entry.Fault = c.seen.status, c.requestID, c.fault
		watch.LogRequest(entry)
	}
}

// observed remembers the status of an answer.
type observed struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (o *observed) WriteHeader(status int) {
	if o.status == 0 && status >= http.StatusOK {
		o.status = status
	}
	o.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (o *observed) Write(p []byte) (int, error) {
	if o.status == 0 {
		o.status = http.StatusOK
	}
	return o.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach what is beneath.
func (o *observed) Unwrap() http.ResponseWriter { return o.ResponseWriter }
