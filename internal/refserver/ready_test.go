package refserver_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/sqlitedb"
)

// A service is ready while it can read and write its data and does not stop; it is healthy for longer.
func TestReadiness(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
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

	// Another process keeps the lock, as one that has stopped in the middle of a commit does.
	db, _, err := sqlitedb.Open(filepath.Join(folder, "payctl.db"), "")
	require.NoError(t, err)
	defer db.Close()
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)
	requireUnready(t.Context())
	_, err = conn.ExecContext(t.Context(), "ROLLBACK")
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	require.Equal(t, http.StatusOK, ask(t.Context(), "/readyz").Code)

	ctx, stop := context.WithCancelCause(t.Context())
	stop(service.ErrStopping)
	requireUnready(ctx)
	require.NoError(t, s.Close())
	requireUnready(t.Context())
}
