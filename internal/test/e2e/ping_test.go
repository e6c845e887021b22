package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// A service that begins to work is waited for, and asked for its health alone.
func TestPingWaitsForAService(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/healthz" || r.Method != http.MethodGet || r.Header.Get("Authorization") != "" {
			t.Errorf("it asked for %s %s", r.Method, r.URL)
		}
		switch asked.Add(1) {
		case 1:
			panic(http.ErrAbortHandler) // it is reached, and cuts the connection
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			w.Header().Set("Server", "other/1")
			http.NotFound(w, r)
		}
	}))
	defer service.Close()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Args = []string{"payctl", "ping", "--wait", "1m", "--jq", ".answered, .status, .server"}
	cmd.Env = inherited("PAYCTL_BASE_URL="+service.URL+"/api", "PAYCTL_CLIENT_ID=a", "PAYCTL_CLIENT_SECRET=b")
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, "true\n404\nother/1\n", string(out))
	require.EqualValues(t, 3, asked.Load())
}
