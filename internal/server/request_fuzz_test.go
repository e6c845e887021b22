package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// fuzzedHeaders are the headers that FuzzRequest sends, in the order of its arguments.
var fuzzedHeaders = []string{"Accept", "If-None-Match", "Prefer", "Idempotency-Key", "Last-Event-ID"}

// FuzzRequest throws anything at everything of a request but its body.
func FuzzRequest(f *testing.F) {
	for i := range contract.Operations {
		f.Add(uint(i), "", "", "", "", "", "", "", "")
	}
	f.Add(uint(0), "/accounts/%2e%2e/v1", "limit=1&limit=2", "Bearer \x00", "*/*;q=0", `W/"1"`, "wait=", `"`, "evt_")
	f.Add(uint(17), "/events/v1", "after=latest&types=kyc.statusChanged", "", "text/event-stream", "*", "respond-async", "", "")
	x := newTarget(f, refserver.Config{})
	f.Add(uint(85), "0", "0", "", "A\xadA", "", "`", "0", "0")
	f.Add(uint(17), "", "0", "", "teXt/event-streAm", "0", "0", "", "")
	f.Add(uint(59), "0", "0", "B", "0", "0", "0", "0", "0")
	f.Add(uint(29), "", "", "", "0\x8f0", "", "", "", "")
	f.Fuzz(func(t *testing.T, which uint, path, query, authorization, accept, noneMatch, prefer, key, last string) {
		op := contract.Operations[which%uint(len(contract.Operations))]
		if path == "" || path[0] != '/' {
			path = contract.Expand(op.Path, x.ids[int(which/64)%len(x.ids)])
		}
		unescaped, err := url.PathUnescape(path)
		if err != nil {
			return // no client can send it; what net/http refuses is not the handler's
		}
		// A stream, and an answer that is held, end with the client. One that goes is a context that is canceled: net/http
		// gives none a deadline.
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		defer time.AfterFunc(20*time.Millisecond, cancel).Stop()
		r := httptest.NewRequestWithContext(ctx, op.Method, "/", strings.NewReader("{}"))
		r.URL = &url.URL{Path: unescaped, RawPath: path, RawQuery: query}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+x.tokenFor(op))
		if authorization != "" || op.ID == "revokeAccessToken" {
			r.Header.Set("Authorization", authorization)
		}
		for i, value := range []string{accept, noneMatch, prefer, key, last} {
			if value != "" {
				r.Header.Set(fuzzedHeaders[i], value)
			}
		}
		defer func() {
			if aborted := recover(); aborted != nil && (aborted != http.ErrAbortHandler || ctx.Err() == nil) { //nolint:errorlint // it is panicked with as it is, never wrapped
				panic(aborted)
			}
		}()
		response, body, err := paytest.Serve(x.Handler, r)
		require.NoError(t, response.Body.Close())
		if ctx.Err() != nil && (response.StatusCode == http.StatusServiceUnavailable || len(body) == 0) {
			return // it ended before the answer
		}
		require.NoError(t, err, "%s %s → %d %.2000s", r.Method, r.URL, response.StatusCode, body)
		require.Less(t, response.StatusCode, 500, "%s %s → %.2000s", r.Method, r.URL, body)
	})
}
