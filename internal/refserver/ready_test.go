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

// A service is ready while it can read and write its data and does not stop; it is healthy for longer.
func TestReadiness(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "data")
	s, err := refserver.New(refserver.Config{Data: folder, Check: true})
	require.NoError(t, err)
	ask := func(ctx context.Context, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil))
		return w
	}
	requireUnready := func(ctx context.Context) {
		t.Helper()
		w := ask(ctx, "/readyz")
		require.Equal(t, http.StatusServiceUnavailable, w.Code, w.Body)
		require.Equal(t, "1", w.Header().Get("Retry-After"))
		require.Equal(t, http.StatusOK, ask(ctx, "/healthz").Code)
	}
	w := ask(t.Context(), "/readyz")
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.JSONEq(t, `{"status":"ok"}`, w.Body.String())
	require.Equal(t, "no-store", w.Header().Get("Cache-Control"))

	// The folder is moved away, and comes back.
	require.NoError(t, os.Rename(folder, folder+".moved"))
	requireUnready(t.Context())
	require.NoError(t, os.Rename(folder+".moved", folder))
	require.Equal(t, http.StatusOK, ask(t.Context(), "/readyz").Code)

	ctx, stop := context.WithCancelCause(t.Context())
	stop(service.ErrStopping)
	requireUnready(ctx)
	require.NoError(t, s.Close())
	requireUnready(t.Context())
}
