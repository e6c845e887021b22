package server

import (
	"io"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

const (
	// uncountedBytes is how many bytes of each exchange are not counted: as many as net/http's buffers of its connection
	// have. So usual requests are answered also while others hold all that may be held.
	uncountedBytes = 8 << 10
	// delayedBytes is what a delayed request is counted as besides its body: its goroutines, the buffers of its
	// connection, and its head. It was measured to be 23 KiB, and the head may be larger than that of the measurement.
	// Requests that wait for a change or for events are not counted: Bounds.Connections limits them.
	delayedBytes = 32 << 10
)

// heldMemory counts the bytes that requests hold: their bodies, large responses, and what a delayed request takes.
type heldMemory struct {
	mu       sync.Mutex
	all      int64
	byClient map[string]int64 // without clients that hold nothing
}

// add counts more bytes of a client, or less if bytes is negative.
func (h *heldMemory) add(client string, bytes int64) {
	h.all += bytes
	h.byClient[client] += bytes
	if h.byClient[client] == 0 {
		delete(h.byClient, client)
	}
}

// hold counts bytes that the exchange holds until it ends. It refuses the request if they are too many for its client
// or for the service. Requests without a session count as those of one client. A client may send those as well, so that
// they hold only half of what a client leaves of the memory: the rest is for the others.
func (x *exchange) hold(bytes int64) error {
	client, bounds, h := x.session.ClientID, &x.server.config.Bounds, &x.server.memory
	most := bounds.ClientHeldBytes
	if client == "" {
		most = max(bounds.HeldBytes-most, 0) / 2
	}
	more := max(x.held+bytes, 0) - max(x.held, 0)
	if more > 0 {
		h.mu.Lock()
		defer h.mu.Unlock()
		var problem *payments.ProblemError
		switch {
		case h.byClient[client]+more > most:
			problem = payments.NewProblem(payments.KindRateLimited,
				"The requests of this client that have not ended hold as much memory as they may.")
		case h.all+more > bounds.HeldBytes:
			problem = payments.NewProblem(payments.KindUnavailable,
				"The requests that have not ended hold as much memory as they may.")
		}
		if problem != nil {
			problem.RetryAfter = time.Second
			return problem
		}
		h.add(client, more)
	}
	x.held += bytes
	return nil
}

// releaseMemory counts what the exchange holds as released.
func (x *exchange) releaseMemory() {
	if x.held > 0 {
		h := &x.server.memory
		h.mu.Lock()
		defer h.mu.Unlock()
		h.add(x.session.ClientID, -x.held)
	}
}

// A heldReader counts what it reads as held by an exchange. A refusal ends the reading.
type heldReader struct {
	exchange *exchange
	io.Reader
}

// Read implements io.Reader.
func (r heldReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if refused := r.exchange.hold(int64(n)); refused != nil {
		return n, refused
	}
	return n, err
}
