package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
)

const (
	// longestPath is how many bytes of a path an entry of the request log keeps.
	longestPath = 256
	// logTimeout is how long an answer waits for its entry while the store does not respond.
	logTimeout = 2 * time.Second
)

// LogRequest adds a request to the log before it is answered, with its idempotency key; empty: it has none. A request
// that began in another instance than the present one is not logged. Its duration is measured here, by the world's
// clock, so that a run with a seed is the same each time. An entry that cannot be stored is lost.
func (w *World) LogRequest(instance string, r payments.SandboxRequest, key string) {
	if instance != w.Instance() {
		return
	}
	r.DurationMs = int(max(w.Now().Sub(r.Time), 0) / time.Millisecond)
	r.Path = strings.Clone(r.Path[:min(len(r.Path), longestPath)]) // a part of the request's line, which may be long
	if key != "" {
		sum := sha256.Sum256([]byte(key))
		r.IdempotencyKeyHash = hex.EncodeToString(sum[:])
	}
	ctx, cancel := context.WithTimeout(context.Background(), logTimeout) // a client that is gone made the request all the same
	defer cancel()
	_ = w.worlds.config.Store.LogRequest(ctx, w.client, instance, r)
}

// defaultLimit is how many requests a page has when the query does not say.
const defaultLimit = 20

// ListSandboxRequests implements payments.SandboxRequestLog.
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
		q.Limit = defaultLimit
	}
	entries, err := w.worlds.config.Store.Requests(ctx, w.client, w.Instance())
	if err != nil {
		return page, err
	}
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
		page.Data = append(page.Data, r)
	}
	return page, nil
}

// ClearSandboxRequests implements payments.SandboxRequestLog.
func (w *World) ClearSandboxRequests(ctx context.Context) error {
	return w.worlds.config.Store.ClearRequests(ctx, w.client)
}
