package desk

import (
	"context"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/wait"
)

const (
	// mostAsked is how often a name is asked for, when it cannot be had, until the next change of its status.
	mostAsked = 3
	// namePause is how long none is asked for after one could not be had: the service may be in trouble.
	namePause = 10 * time.Second
)

// names asks whom those are about that no list told of, one after the other: the feed of events has nobody's name.
type names struct {
	ask  func(ctx context.Context, id string) string
	tell func(id, name string)

	mu     sync.Mutex
	known  map[string]int // who has a name, or is about to be asked for it: how often that was in vain
	wanted []string
	more   chan struct{} // something is wanted
}

func newNames(ask func(ctx context.Context, id string) string, tell func(id, name string)) *names {
	return &names{ask: ask, tell: tell, known: map[string]int{}, more: make(chan struct{}, 1)}
}

// met takes in a subject as a change tells of it.
func (n *names) met(id, name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, known := n.known[id]; known {
		return
	}
	n.known[id] = 0
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
		n.again(id)
		_ = wait.Sleep(ctx, namePause) // the context is looked at above
	}
}

// again has a name that could not be had asked for once more, behind the others, or given up.
func (n *names) again(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known[id]++; n.known[id] < mostAsked {
		n.wanted = append(n.wanted, id)
		return
	}
	delete(n.known, id)
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
