package watchui

import (
	"context"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/wait"
)

const (
	// retryNameAfter is the pause after a name could not be read: the service may be in trouble.
	retryNameAfter = 10 * time.Second
	// mostNameReads is how often a name is read in vain before it is given up until the subject's next change.
	mostNameReads = 3
	// nameQueueSize is how many names may wait to be read. More than that come with their next change.
	nameQueueSize = 10_000
)

// names reads the names of subjects that came with the event feed, which has none, one after the other.
type names struct {
	read func(ctx context.Context, id string) string // empty: it cannot be read
	set  func(id, name string)

	queue chan string
	mu    sync.Mutex
	known map[string]bool // the name is known, or waits in the queue
}

func newNames(read func(ctx context.Context, id string) string, set func(id, name string)) *names {
	return &names{read: read, set: set, known: map[string]bool{}, queue: make(chan string, nameQueueSize)}
}

// add takes in a subject with a change. A name that is empty and not known yet will be read.
func (n *names) add(id, name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known[id] {
		return
	}
	n.known[id] = true
	if name != "" {
		return
	}
	select {
	case n.queue <- id:
	default:
		delete(n.known, id)
	}
}

// run reads names until the context ends.
func (n *names) run(ctx context.Context) {
	for {
		select {
		case id := <-n.queue:
			n.readOne(ctx, id)
		case <-ctx.Done():
			return
		}
	}
}

func (n *names) readOne(ctx context.Context, id string) {
	for range mostNameReads {
		if name := n.read(ctx, id); name != "" {
			n.set(id, name)
			return
		}
		if wait.Sleep(ctx, retryNameAfter) != nil {
			return
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.known, id)
}
