package server

import (
	"io"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

const (
	// uncountedBytes is how many bytes of each exchange are not counted: as many as net/http's buffers of its connection
	// have. So usual requests are answered also while others hold all that may be held.
	uncountedBytes = 8 << 10
	// delayedBytes is what a delayed request is counted as besides its body: its goroutines, the buffers of its
	// connection, and its head. It was measured to be 17 KiB, and the head may be larger than that of the measurement.
	// Requests that wait for a change or for events are not counted: Bounds.Connections limits them.
	delayedBytes = 32 << 10
	// maxLists and maxSnapshots are how many lists are gathered, and snapshots taken or restored, at a time. More would
	// not be quicker, as the processor is what they need, but would hold more memory that is not counted yet.
	maxLists, maxSnapshots = 4, 2
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
// or for the service. Requests without a session count as those of one client.
func (x *exchange) hold(bytes int64) error {
	client, bounds, h := x.session.ClientID, &x.server.config.Bounds, &x.server.memory
	more := max(x.held+bytes, 0) - max(x.held, 0)
	if more > 0 {
		h.mu.Lock()
		defer h.mu.Unlock()
		var problem *payments.ProblemError
		switch {
		case h.byClient[client]+more > bounds.ClientHeldBytes:
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

// takeTurn waits until an operation may gather a response that may be large.
func (x *exchange) takeTurn() error {
	switch x.op {
	case &contract.ListAccounts, &contract.ListSavedContacts, &contract.ListTransfers:
		return x.waitForTurn(x.server.lists)
	case &contract.GetSandboxSnapshot:
		return x.waitForTurn(x.server.snapshots)
	}
	return nil
}

// waitForTurn waits for room in turns. The turn ends when the response begins to be sent.
func (x *exchange) waitForTurn(turns chan struct{}) error {
	select {
	case turns <- struct{}{}:
		x.turn = turns
		return nil
	case <-x.ctx.Done():
		return x.ctx.Err()
	}
}

// endTurn ends the turn, if the exchange has one.
func (x *exchange) endTurn() {
	if x.turn != nil {
		<-x.turn
		x.turn = nil
	}
}
