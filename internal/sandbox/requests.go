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

// A RequestLog holds the requests of clients, by world and instance. It keeps the latest store.KeptRequests entries of
// a world.
type RequestLog interface {
	// LogRequest adds an entry and gives it a number that is greater than those of all entries before it. Whoever calls
	// Requests after it has returned finds the entry. It does not wait long for a store that does not respond.
	LogRequest(world, instance string, entry payments.SandboxRequest) error
	// Requests returns the entries of an instance, the latest first.
	Requests(ctx context.Context, world, instance string) ([]payments.SandboxRequest, error)
	// ClearRequests removes the entries of a world.
	ClearRequests(ctx context.Context, world string) error
}

// requestRings is a RequestLog in memory, with a ring buffer for each world.
type requestRings struct {
	mu    sync.Mutex
	rings map[string]*requestRing
}

type requestRing struct {
	entries []loggedRequest
	number  int // of the latest entry, from 1; its index is number-1 modulo store.KeptRequests
}

type loggedRequest struct {
	instance string
	payments.SandboxRequest
}

// LogRequest implements RequestLog.
func (l *requestRings) LogRequest(world, instance string, entry payments.SandboxRequest) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	ring := l.rings[world]
	if ring == nil {
		ring = &requestRing{}
		l.rings[world] = ring
	}
	ring.number++
	entry.Number = ring.number
	if len(ring.entries) < store.KeptRequests {
		ring.entries = append(ring.entries, loggedRequest{})
	}
	ring.entries[(ring.number-1)%store.KeptRequests] = loggedRequest{instance, entry}
	return nil
}

// Requests implements RequestLog.
func (l *requestRings) Requests(_ context.Context, world, instance string) ([]payments.SandboxRequest, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ring := l.rings[world]
	if ring == nil {
		return nil, nil
	}
	var found []payments.SandboxRequest
	for i := range ring.entries {
		if entry := ring.entries[(ring.number-1-i)%store.KeptRequests]; entry.instance == instance {
			found = append(found, entry.SandboxRequest)
		}
	}
	return found, nil
}

// ClearRequests implements RequestLog.
func (l *requestRings) ClearRequests(_ context.Context, world string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.rings, world)
	return nil
}

// maxLoggedPath is how many bytes of a path an entry of the request log keeps.
const maxLoggedPath = 256

// LogRequest adds a request to the log before the response. key is its idempotency key, if it has one. A request that
// began in an earlier instance is not logged. Its duration is by the world's clock, so that runs with a seed are equal.
// An entry that cannot be stored is lost.
func (w *World) LogRequest(instance string, r payments.SandboxRequest, key string, content payments.RequestContent) {
	if instance != w.Instance() {
		return
	}
	r.DurationMs = int(max(w.Now().Sub(r.Time), 0) / time.Millisecond)
	r.Path = strings.Clone(r.Path[:min(len(r.Path), maxLoggedPath)]) // the log must not retain a long request line
	if key != "" {
		sum := sha256.Sum256([]byte(key))
		r.IdempotencyKeyHash = hex.EncodeToString(sum[:])
	}
	w.contents.keep(r.RequestID, content)
	_ = w.worlds.config.Requests.LogRequest(w.client, instance, r)
}

// keptContents is how many request bodies are kept for each world.
const keptContents = 100

// requestContents keep the contents of the latest requests to a world that this process served.
type requestContents struct {
	mu   sync.Mutex
	kept []requestContent
	next int // the index of the next one
}

type requestContent struct {
	requestID string
	payments.RequestContent
}

func (c *requestContents) keep(requestID string, content payments.RequestContent) {
	if content.Query == "" && content.Sent == nil && content.Received == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) < keptContents {
		c.kept = append(c.kept, requestContent{})
	}
	c.kept[c.next] = requestContent{requestID, content}
	c.next = (c.next + 1) % keptContents
}

func (c *requestContents) byID() map[string]payments.RequestContent {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := make(map[string]payments.RequestContent, len(c.kept))
	for _, content := range c.kept {
		found[content.requestID] = content.RequestContent
	}
	return found
}

// ListSandboxRequests implements payments.Sandbox.
func (w *World) ListSandboxRequests(
	ctx context.Context, q payments.PageQuery,
) (page payments.SandboxRequestPage, err error) {
	before := 0 // all
	if q.Cursor != "" {
		if before, err = strconv.Atoi(q.Cursor); err != nil || before < 1 {
			return page, service.InvalidCursor()
		}
	}
	if q.Limit == 0 {
		q.Limit = payments.DefaultPage
	}
	entries, err := w.worlds.config.Requests.Requests(ctx, w.client, w.Instance())
	if err != nil {
		return page, err
	}
	contents := w.contents.byID()
	page.Data = []payments.SandboxRequest{}
	for _, r := range entries {
		switch {
		case before > 0 && r.Number >= before,
			!q.Includes(r.Time): // earlier entries may have begun later: a request is numbered at its end
			continue
		case len(page.Data) == q.Limit:
			page.NextCursor = new(strconv.Itoa(page.Data[q.Limit-1].Number))
			return page, nil
		}
		contents[r.RequestID].AddTo(&r)
		page.Data = append(page.Data, r)
	}
	return page, nil
}

// ClearSandboxRequests implements payments.Sandbox.
func (w *World) ClearSandboxRequests(ctx context.Context) error {
	return w.worlds.config.Requests.ClearRequests(ctx, w.client)
}
