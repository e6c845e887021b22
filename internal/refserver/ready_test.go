package refserver_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/service"
)

// A service is ready while it can read and write its data and does not stop; it is healthy for longer. One whose store
// fails answers with 503 without its reasons.
func TestReadiness(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "data")
	s, err := refserver.New(refserver.Config{Data: folder, Check: true})
	require.NoError(t, err)
	ask := func(ctx context.Context, method, path, authorization string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, method, path, nil)
		r.Header.Set("Authorization", authorization)
		s.Handler.ServeHTTP(w, r)
		return w
	}
	requireUnready := func(ctx context.Context) {
		t.Helper()
		w := ask(ctx, "GET", "/readyz", "")
		require.NoError(t, isUnavailable(answer{w.Code, w.Header(), w.Body.Bytes()}))
		require.Equal(t, http.StatusOK, ask(ctx, "GET", "/healthz", "").Code)
	}
	requireUnavailable := func(ctx context.Context) {
		t.Helper()
		requireUnready(ctx)
		for _, w := range []*httptest.ResponseRecorder{
			ask(ctx, "GET", "/accounts/v1", "Bearer abc"), ask(ctx, "GET", "/accounts/x/v1", "Bearer abc"),
			ask(ctx, "POST", "/identity/auth/tokens/current/v1", "Basic c2FuZGJveDpzYW5kYm94LXNlY3JldA=="),
		} {
			require.NoError(t, isUnavailable(answer{w.Code, w.Header(), w.Body.Bytes()}))
			require.Empty(t, w.Header().Get("WWW-Authenticate"))
			require.NotContains(t, w.Body.String(), "sqlite")
		}
	}
	w := ask(t.Context(), "GET", "/readyz", "")
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.Equal(t, "no-store", w.Header().Get("Cache-Control"))

	// The folder is moved away, and comes back.
	require.NoError(t, os.Rename(folder, folder+".moved"))
	requireUnready(t.Context())
	require.NoError(t, os.Rename(folder+".moved", folder))
	require.Equal(t, http.StatusOK, ask(t.Context(), "GET", "/readyz", "").Code)

	ctx, stop := context.WithCancelCause(t.Context())
	stop(service.ErrStopping)
	requireUnavailable(ctx)
	require.NoError(t, s.Close()) // a store that can neither be read nor written
	requireUnavailable(t.Context())
}
