package memory

import (
	"context"
	"sync"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// A requestLog is the request log of a world, a ring buffer.
type requestLog struct {
	mu     sync.Mutex
	ring   []loggedRequest // at most store.KeptRequests entries
	number int             // of the latest entry, from 1; its place is one less, modulo the most
}

type loggedRequest struct {
	instance string
	payments.SandboxRequest
}

// LogRequest implements store.RequestLog.
func (s *Store) LogRequest(_ context.Context, world, instance string, entry payments.SandboxRequest) error {
	l := &s.world(world).requests
	l.mu.Lock()
	defer l.mu.Unlock()
	l.number++
	entry.Number = l.number
	if len(l.ring) < store.KeptRequests {
		l.ring = append(l.ring, loggedRequest{})
	}
	l.ring[(l.number-1)%store.KeptRequests] = loggedRequest{instance, entry}
	return nil
}

// Requests implements store.RequestLog.
func (s *Store) Requests(_ context.Context, world, instance string) ([]payments.SandboxRequest, error) {
	l := &s.world(world).requests
	l.mu.Lock()
	defer l.mu.Unlock()
	entries := []payments.SandboxRequest{}
	for i := range l.ring {
		if entry := l.ring[(l.number-1-i)%store.KeptRequests]; entry.instance == instance {
			entries = append(entries, entry.SandboxRequest)
		}
	}
	return entries, nil
}

// ClearRequests implements store.RequestLog.
func (s *Store) ClearRequests(_ context.Context, world string) error {
	l := &s.world(world).requests
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ring, l.number = nil, 0
	return nil
}
