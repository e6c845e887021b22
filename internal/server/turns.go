package server

import (
	"context"
	"sync"

	"github.com/payctl/payctl/internal/contract"
)

// How many lists are gathered, snapshots taken or restored, and large bodies decoded and stored at a time. More would
// not be quicker, as the processor is what they need, but would hold more memory that heldMemory does not count yet, and
// keep the processor from the requests of other clients.
const (
	maxLists     = 4
	maxSnapshots = 2
	maxBodies    = 4
)

// largeBody is from how many bytes on a body is large: it takes as long as all the rest of its request.
const largeBody = 16 << 10

// turns limit how many requests do something at a time: one of each client. More wait for their turn, so that a client
// with many requests keeps the others waiting for one of them only.
type turns struct {
	all chan struct{} // holds an element for each request that has a turn

	mu       sync.Mutex
	byClient map[string]*clientTurns // of clients whose requests wait or have a turn
}

// clientTurns are the turns of one client.
type clientTurns struct {
	taken    chan struct{} // holds an element while one of its requests has a turn, or waits for one of all
	requests int           // how many use this
}

func newTurns(all int) *turns {
	return &turns{all: make(chan struct{}, all), byClient: map[string]*clientTurns{}}
}

// acquire waits for a turn of a client, and returns what ends the turn. The error is that of the context.
func (t *turns) acquire(ctx context.Context, client string) (end func(), err error) {
	t.mu.Lock()
	own := t.byClient[client]
	if own == nil {
		own = &clientTurns{taken: make(chan struct{}, 1)}
		t.byClient[client] = own
	}
	own.requests++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if own.requests--; own.requests == 0 {
			delete(t.byClient, client)
		}
	}
	select {
	case own.taken <- struct{}{}:
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
	select {
	case t.all <- struct{}{}:
	case <-ctx.Done():
		<-own.taken
		leave()
		return nil, ctx.Err()
	}
	return func() {
		<-t.all
		<-own.taken
		leave()
	}, nil
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

// waitForTurn waits for a turn, which ends when the response begins to be sent.
func (x *exchange) waitForTurn(t *turns) (err error) {
	x.turnEnd, err = t.acquire(x.ctx, x.session.ClientID)
	return err
}

// endTurn ends the turn, if the exchange has one.
func (x *exchange) endTurn() {
	if x.turnEnd != nil {
		x.turnEnd()
		x.turnEnd = nil
	}
}
