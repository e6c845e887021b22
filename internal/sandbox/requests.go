package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// keptRequests is how many requests a world's log keeps.
const keptRequests = 1000

// longestPath is how many bytes of a path the log keeps.
const longestPath = 256

// A requestLog keeps the latest requests of a world in one of its lives, in the process's memory. The request of number n is
// at n-1 in the ring.
type requestLog struct {
	mu    sync.Mutex
	life  string
	ring  []logged
	count int // of all that ever came
}

// A logged request is one with its idempotency key, of which only the hash is shown; empty: it has none.
type logged struct {
	payments.SandboxRequest
	key string
}

// show is the request as it is listed.
func (l logged) show() payments.SandboxRequest {
	if l.key != "" {
		sum := sha256.Sum256([]byte(l.key))
		l.IdempotencyKeyHash = hex.EncodeToString(sum[:])
	}
	return l.SandboxRequest
}

// begin empties the log for a life of the world. Undo takes it back.
func (l *requestLog) begin(life string) (undo func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before, ring, count := l.life, l.ring, l.count
	l.life, l.ring, l.count = life, nil, 0
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.life, l.ring, l.count = before, ring, count
	}
}

// add keeps a request that began in a life, unless the log is of another one.
func (l *requestLog) add(life string, r logged) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if life != l.life {
		return
	}
	r.Number = l.count + 1
	if len(l.ring) < keptRequests {
		l.ring = append(l.ring, r)
	} else {
		l.ring[l.count%keptRequests] = r
	}
	l.count++
}

func (l *requestLog) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ring, l.count = nil, 0
}

// page lists requests with numbers below before, which is zero for all, newest first.
func (l *requestLog) page(before, limit int, after time.Time) (page payments.SandboxRequestPage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	page.Data = []payments.SandboxRequest{}
	from := l.count
	if before > 0 {
		from = min(from, before-1)
	}
	for n := from; n > l.count-len(l.ring); n-- {
		r := l.ring[(n-1)%keptRequests]
		if !r.Time.After(after) {
			continue // others may have begun later: a request is numbered at its end
		}
		if len(page.Data) == limit {
			page.NextCursor = new(strconv.Itoa(page.Data[limit-1].Number))
			break
		}
		page.Data = append(page.Data, r.show())
	}
	return page
}

// LogRequest puts a request that has been answered into the log, with its idempotency key; empty: it has none. A request that
// began in another life than the present one is in no log. Its duration is taken here, by the world's clock, so that a run with
// a seed is the same each time.
func (w *World) LogRequest(life string, r payments.SandboxRequest, key string) {
	r.DurationMs = int(max(w.Now().Sub(r.Time), 0) / time.Millisecond)
	if len(r.Path) > longestPath {
		r.Path = r.Path[:longestPath]
	}
	w.requested.add(life, logged{r, key})
}

// defaultLimit is how many requests a page has when nobody says.
const defaultLimit = 20

// ListSandboxRequests implements payments.SandboxRequestLog.
func (w *World) ListSandboxRequests(_ context.Context, q payments.PageQuery) (payments.SandboxRequestPage, error) {
	before := 0
	if q.Cursor != "" {
		var err error
		if before, err = strconv.Atoi(q.Cursor); err != nil || before < 1 {
			refusal := payments.Invalid(payments.FieldErrors{"cursor": {"The cursor field must be the nextCursor of an earlier page of this list."}})
			refusal.Detail = "The request's query failed validation."
			return payments.SandboxRequestPage{}, refusal
		}
	}
	limit := q.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	return w.requested.page(before, limit, q.CreatedAfter), nil
}

// ClearSandboxRequests implements payments.SandboxRequestLog.
func (w *World) ClearSandboxRequests(context.Context) error {
	w.requested.clear()
	return nil
}
