package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// A requestLog writes the entries of request logs. Entries that arrive while a statement runs share the next one.
type requestLog struct {
	mu      sync.Mutex
	next    *loggedRequests // nil means that no entry waits
	writing bool
	added   map[string]int // by world: entries that this process has added since it removed old ones
}

// loggedRequests are entries that one statement writes.
type loggedRequests struct {
	worlds, instances, entries []string
	done                       chan struct{}
	err                        error // set before done is closed
}

// LogRequest implements sandbox.RequestLog.
func (s *Store) LogRequest(world, instance string, entry payments.SandboxRequest) error {
	text, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	l := &s.requests
	l.mu.Lock()
	if l.next == nil {
		l.next = &loggedRequests{done: make(chan struct{})}
	}
	group := l.next
	group.worlds = append(group.worlds, escape(world))
	group.instances = append(group.instances, instance)
	group.entries = append(group.entries, string(text))
	if !l.writing {
		l.writing = true
		go s.writeRequests()
	}
	l.mu.Unlock()
	select {
	case <-group.done:
		return group.err
	case <-time.After(2 * time.Second): // no answer waits longer for a database that does not respond
		return context.DeadlineExceeded
	}
}

// writeRequests writes entries until none wait.
func (s *Store) writeRequests() {
	for {
		s.requests.mu.Lock()
		group := s.requests.next
		s.requests.next, s.requests.writing = nil, group != nil
		s.requests.mu.Unlock()
		if group == nil {
			return
		}
		group.err = s.insertRequests(group)
		close(group.done)
	}
}

// insertRequests inserts entries. It removes old entries of a world each time it has added store.KeptRequests. Only one
// call runs at a time.
func (s *Store) insertRequests(group *loggedRequests) error {
	ctx, cancel := context.WithTimeout(context.Background(), transactionTimeout)
	defer cancel()
	_, err := s.pool.Exec(ctx, insertRequests, group.worlds, group.instances, group.entries)
	for _, world := range group.worlds {
		s.requests.added[world]++
		if err == nil && s.requests.added[world] >= store.KeptRequests {
			delete(s.requests.added, world)
			_, err = s.pool.Exec(ctx, deleteOldRequests, world, store.KeptRequests)
		}
	}
	if err != nil {
		return s.outage(err)
	}
	return nil
}

// Requests implements sandbox.RequestLog.
func (s *Store) Requests(ctx context.Context, world, instance string) ([]payments.SandboxRequest, error) {
	rows, _ := s.pool.Query(ctx, listRequests, escape(world), instance, store.KeptRequests) // CollectRows has its error
	entries, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (entry payments.SandboxRequest, err error) {
		var number int
		var text []byte
		if err = row.Scan(&number, &text); err == nil {
			err = json.Unmarshal(text, &entry)
		}
		entry.Number = number
		return entry, err
	})
	if err != nil {
		return nil, s.unavailable(ctx, err)
	}
	return entries, nil
}

// ClearRequests implements sandbox.RequestLog.
func (s *Store) ClearRequests(ctx context.Context, world string) error {
	if _, err := s.pool.Exec(ctx, deleteRequests, escape(world)); err != nil {
		return s.unavailable(ctx, err)
	}
	return nil
}
