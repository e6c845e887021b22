package server_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
)

const traceID = "4bf92f3577b34da6a3ce929d0e0e4736"

// A failure can be found in the tracing of who asked: its trace id is in the problem document and in the log.
func TestTraceOfARequest(t *testing.T) {
	t.Parallel()
	log := &logged{}
	handler := slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})
	a := run(t, refserver.Config{Check: true, Log: slog.New(handler)})
	trace := "00-" + traceID + "-00f067aa0ba902b7-01"
	for _, path := range []string{"/accounts/acc_none/v1", "/nowhere", accountsPath + "?limit=x"} {
		answer := a.do("GET", path, "", "traceparent", trace)
		require.Equal(t, traceID, answer.member("traceId"), path)
		require.NotContains(t, a.do("GET", path, "").members(), "traceId")
		for _, wrong := range []string{
			strings.ToUpper(trace), trace + "-more", trace + ", " + trace, "<script>", "ff" + trace[2:],
		} {
			require.NotContains(t, a.do("GET", path, "", "traceparent", wrong).members(), "traceId", wrong)
		}
	}
	require.Equal(t, http.StatusOK, a.do("GET", accountsPath, "", "traceparent", trace).status)
	lines := strings.Split(log.String(), "\n")
	require.Contains(t, lines[len(lines)-2], `"operation":"listAccounts"`)
	require.Contains(t, lines[len(lines)-2], `"traceId":"`+traceID+`"`)
	require.Equal(t, 4, strings.Count(log.String(), "traceId"))
	require.NotContains(t, log.String(), "script")
}

// Failures inside the service are logged with the trace at every level; two headers name none.
func TestTraceOfAFailure(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]func(*logged) slog.Handler{
		"json": func(l *logged) slog.Handler { return slog.NewJSONHandler(l, nil) },
		"text": func(l *logged) slog.Handler { return slog.NewTextHandler(l, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &logged{}
			service, err := refserver.New(refserver.Config{Data: t.TempDir(), Log: slog.New(handler(log))})
			require.NoError(t, err)
			require.NoError(t, service.Close())
			ask := func(traces ...string) string {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", nil)
				r.Header["Traceparent"] = traces
				w := httptest.NewRecorder()
				service.Handler.ServeHTTP(w, r)
				require.Equal(t, http.StatusServiceUnavailable, w.Code)
				return w.Body.String()
			}
			trace := "00-" + traceID + "-00f067aa0ba902b7-01"
			require.NotContains(t, ask(trace, trace), "traceId")
			require.NotContains(t, log.String(), "traceId")
			require.Contains(t, ask(trace), `"traceId":"`+traceID+`"`)
			require.Regexp(t, `"?traceId"?[:=]"?`+traceID, log.String())
			require.Regexp(t, `"?requestId"?[:=]"?req_`, log.String())
		})
	}
}
