package desk

import (
	"context"
	"sync"
)

// names asks whom those are about that no list told of, one after the other: the feed of events has nobody's name.
type names struct {
	ask  func(ctx context.Context, id string) string
	tell func(id, name string)

	mu     sync.Mutex
	known  map[string]bool // told, or about to be asked for
	wanted []string
	more   chan struct{} // something is wanted
}

func newNames(ask func(ctx context.Context, id string) string, tell func(id, name string)) *names {
	return &names{ask: ask, tell: tell, known: map[string]bool{}, more: make(chan struct{}, 1)}
}

// met takes in a subject as a change tells of it. A name that could not be had is asked for again with the next change.
func (n *names) met(id, name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known[id] {
		return
	}
	n.known[id] = true
	if name != "" {
		return
	}
	n.wanted = append(n.wanted, id)
	select {
	case n.more <- struct{}{}:
	default:
	}
}

// run asks until the context ends.
func (n *names) run(ctx context.Context) {
	for ctx.Err() == nil {
		id := n.next()
		if id == "" {
			select {
			case <-n.more:
			case <-ctx.Done():
			}
			continue
		}
		if name := n.ask(ctx, id); name != "" {
			n.tell(id, name)
			continue
		}
		n.mu.Lock()
		delete(n.known, id)
		n.mu.Unlock()
	}
}

// next takes the one that has been wanted for longest; empty when there is none.
func (n *names) next() (id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.wanted) > 0 {
		id, n.wanted = n.wanted[0], n.wanted[1:]
	}
	return id
}
