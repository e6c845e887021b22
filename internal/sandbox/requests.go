package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
)

// The request log of a world is in the store, so that it survives the process, and servers with one store share it.
// Entries wait in memory before they are stored together: a request that only reads costs no write of its own. They
// are stored after storeRequestsAfter, when the log is read at this server, and when it stops. They get their numbers
// then. A process that is killed loses those that wait.
const (
	storeRequestsAfter = time.Second
	// keptRequests is how many entries the log of a world keeps.
	keptRequests = 1000
	// longestPath is how many bytes of a path an entry keeps.
	longestPath = 256
	// storeTimeout bounds how long entries are tried to be stored that no client waits for.
	storeTimeout = 5 * time.Second
)

// A loggedRequest is a log entry before it is stored.
type loggedRequest struct {
	payments.SandboxRequest
	key string // the idempotency key, of which only the hash is stored; empty: it has none
}

// requestBuffer holds the entries of one instance of a world that wait to be stored.
type requestBuffer struct {
	storing lock // held while entries are stored, so that they are stored in order

	mu       sync.Mutex
	instance string
	entries  []loggedRequest
	dropped  int  // how many more came than are kept
	awaited  bool // the entries will be stored soon
}

// LogRequest adds a request that has been answered to the log, with its idempotency key; empty: it has none. A
// request that began in another instance than the present one is not logged. Its duration is measured here, by the
// world's clock, so that a run with a seed is the same each time.
func (w *World) LogRequest(instance string, r payments.SandboxRequest, key string) {
	if instance != w.Instance() {
		return
	}
	r.DurationMs = int(max(w.Now().Sub(r.Time), 0) / time.Millisecond)
	r.Path = strings.Clone(r.Path[:min(len(r.Path), longestPath)]) // a part of the request's line, which may be long
	if w.requests.add(instance, loggedRequest{r, key}) {
		time.AfterFunc(storeRequestsAfter, w.storeWaitingRequests)
	}
}

// add adds an entry. It reports whether it is the first one that waits.
func (b *requestBuffer) add(instance string, entry loggedRequest) (first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.instance != instance {
		b.instance, b.entries, b.dropped = instance, nil, 0
	}
	b.entries = append(b.entries, entry)
	if extra := len(b.entries) - keptRequests; extra >= keptRequests {
		b.entries = b.entries[:copy(b.entries, b.entries[extra:])]
		b.dropped += extra
	}
	first = !b.awaited
	b.awaited = true
	return first
}

// storeWaitingRequests stores entries for which no client waits. Those that cannot be stored go on waiting.
func (w *World) storeWaitingRequests() {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	_ = w.storeRequests(ctx)
}

// storeRequests stores the entries that wait.
func (w *World) storeRequests(ctx context.Context) error {
	b := &w.requests
	if err := b.storing.acquire(ctx, storeTimeout); err != nil {
		return err
	}
	defer b.storing.release()
	b.mu.Lock()
	instance, entries, dropped := b.instance, b.entries, b.dropped
	b.entries, b.dropped, b.awaited = nil, 0, false
	b.mu.Unlock()
	if len(entries) == 0 {
		return nil
	}
	extra := max(len(entries)-keptRequests, 0)
	kept := entries[extra:]
	err := w.updateRequests(ctx, instance, func(tx store.Tx, now time.Time) error {
		return appendRequests(tx, kept, dropped+extra, now)
	})
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.instance == instance {
			b.entries, b.dropped = append(entries, b.entries...), b.dropped+dropped
		}
	}
	return err
}

// updateRequests changes the log of an instance of the world, if it is the present one.
func (w *World) updateRequests(
	ctx context.Context, instance string, change func(tx store.Tx, now time.Time) error,
) error {
	return w.worlds.config.Store.Update(ctx, w.client, func(tx store.Tx) error {
		record, err := tx.Worlds().Get(store.WorldID)
		if err != nil || record.Instance != instance {
			return err
		}
		return change(tx, w.clock.Shows(record.Clock))
	})
}

// storable returns an entry as it is stored.
func (r loggedRequest) storable() payments.SandboxRequest {
	if r.key != "" {
		sum := sha256.Sum256([]byte(r.key))
		r.IdempotencyKeyHash = hex.EncodeToString(sum[:])
	}
	return r.SandboxRequest
}

// appendRequests adds entries to the log, after a number of others that are not kept, and removes those that are too
// many.
func appendRequests(tx store.Tx, entries []loggedRequest, dropped int, now time.Time) error {
	newest, err := tx.Requests().List(store.Query{Limit: 1})
	if err != nil {
		return err
	}
	last := dropped
	if len(newest) > 0 {
		last += newest[0].Last()
	}
	batch := &store.RequestBatch{At: now}
	for _, entry := range entries {
		last++
		entry.Number = last
		batch.Requests = append(batch.Requests, entry.storable())
	}
	if err := removeRequests(tx, store.RequestBatchID(max(last-keptRequests+1, 0))); err != nil {
		return err
	}
	return tx.Requests().Put(batch)
}

// removeRequests removes the batches of the log before one.
func removeRequests(tx store.Tx, before string) error {
	batches, err := tx.Requests().List(store.Query{Before: before, Limit: keptRequests})
	if err != nil {
		return err
	}
	for _, batch := range batches {
		if err := tx.Requests().Delete(batch.DocumentID()); err != nil {
			return err
		}
	}
	return nil
}

// defaultLimit is how many requests a page has when the query does not say.
const defaultLimit = 20

// ListSandboxRequests implements payments.SandboxRequestLog.
func (w *World) ListSandboxRequests(
	ctx context.Context, q payments.PageQuery,
) (page payments.SandboxRequestPage, err error) {
	before := 0
	if q.Cursor != "" {
		if before, err = strconv.Atoi(q.Cursor); err != nil || before < 1 {
			return page, service.InvalidCursor()
		}
	}
	if q.Limit == 0 {
		q.Limit = defaultLimit
	}
	if err := w.storeRequests(ctx); err != nil {
		return page, err
	}
	err = w.worlds.config.Store.View(ctx, w.client, func(tx store.Tx) error {
		batches, err := tx.Requests().List(store.Query{Limit: keptRequests})
		page = requestPage(batches, before, q)
		return err
	})
	return page, err
}

// requestPage lists the entries of batches, newest first: those with numbers below before, which is zero for all.
func requestPage(batches []*store.RequestBatch, before int, q payments.PageQuery) payments.SandboxRequestPage {
	page := payments.SandboxRequestPage{Data: []payments.SandboxRequest{}}
	for _, batch := range batches {
		for i := len(batch.Requests) - 1; i >= 0; i-- {
			r := batch.Requests[i]
			switch {
			case r.Number <= batches[0].Last()-keptRequests:
				return page
			case before > 0 && r.Number >= before,
				!q.Includes(r.Time): // earlier entries may have begun later: a request is numbered at its end
				continue
			case len(page.Data) == q.Limit:
				page.NextCursor = new(strconv.Itoa(page.Data[q.Limit-1].Number))
				return page
			}
			page.Data = append(page.Data, r)
		}
	}
	return page
}

// ClearSandboxRequests implements payments.SandboxRequestLog.
func (w *World) ClearSandboxRequests(ctx context.Context) error {
	if err := w.storeRequests(ctx); err != nil {
		return err
	}
	return w.worlds.config.Store.Update(ctx, w.client, func(tx store.Tx) error {
		return removeRequests(tx, "")
	})
}

// Close stores what the request logs of all worlds still hold in memory.
func (ws *Worlds) Close() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	for _, world := range ws.byClient {
		_ = world.storeRequests(ctx) // a log that cannot be stored is lost
	}
}
