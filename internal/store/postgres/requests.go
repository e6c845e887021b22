package postgres

import (
	"context"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// A requestLog writes the entries of request logs. Those that come while a statement is under way share the next one.
type requestLog struct {
	mu      sync.Mutex
	next    *loggedRequests // nil: no entry waits
	writing bool
	// added is how many entries this process has added to the log of a world since it removed old ones.
	added map[string]int
}

// loggedRequests are entries that one statement writes.
type loggedRequests struct {
	worlds, instances, entries []string
	done                       chan struct{}
	err                        error // set before done is closed
}

// LogRequest implements store.RequestLog.
func (s *Store) LogRequest(ctx context.Context, world, instance string, entry payments.SandboxRequest) error {
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
	case <-ctx.Done():
		return ctx.Err()
	}
}

// writeRequests writes entries until none wait.
func (s *Store) writeRequests() {
	l := &s.requests
	for {
		l.mu.Lock()
		group := l.next
		l.next, l.writing = nil, group != nil
		l.mu.Unlock()
		if group == nil {
			return
		}
		group.err = s.insertRequests(group)
		close(group.done)
	}
}

// insertRequests inserts entries, and removes old ones of a world each time that this process has added as many as are
// kept. Only one call runs at a time.
func (s *Store) insertRequests(group *loggedRequests) error {
	ctx, cancel := context.WithTimeout(context.Background(), transactionTimeout)
	defer cancel()
	if _, err := s.pool.Exec(ctx, insertRequests, group.worlds, group.instances, group.entries); err != nil {
		return store.Unavailable(s.fail(err))
	}
	for _, world := range group.worlds {
		s.requests.added[world]++
		if s.requests.added[world] < store.KeptRequests {
			continue
		}
		delete(s.requests.added, world)
		if _, err := s.pool.Exec(ctx, deleteOldRequests, world, store.KeptRequests); err != nil {
			return store.Unavailable(s.fail(err))
		}
	}
	return nil
}

// Requests implements store.RequestLog.
func (s *Store) Requests(ctx context.Context, world, instance string) ([]payments.SandboxRequest, error) {
	rows, err := s.pool.Query(ctx, listRequests, escape(world), instance, store.KeptRequests)
	if err != nil {
		return nil, s.unavailable(ctx, err)
	}
	defer rows.Close()
	entries := []payments.SandboxRequest{}
	for rows.Next() {
		var number int
		var text []byte
		if err := rows.Scan(&number, &text); err != nil {
			return nil, s.unavailable(ctx, err)
		}
		var entry payments.SandboxRequest
		if err := json.Unmarshal(text, &entry); err != nil {
			return nil, err
		}
		entry.Number = number
		entries = append(entries, entry)
	}
	if err := rows.Err(); err != nil {
		return nil, s.unavailable(ctx, err)
	}
	return entries, nil
}

// ClearRequests implements store.RequestLog.
func (s *Store) ClearRequests(ctx context.Context, world string) error {
	if _, err := s.pool.Exec(ctx, deleteRequests, escape(world)); err != nil {
		return s.unavailable(ctx, err)
	}
	return nil
}
