package server_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/server/coverage"
)

// BenchmarkRecorded compares the cost of requests with and without a recording of their responses.
func BenchmarkRecorded(b *testing.B) {
	for _, test := range []struct {
		name   string
		config refserver.Config
	}{
		{"off", refserver.Config{}},
		{"rate limit", refserver.Config{RateLimit: &server.RateLimit{Requests: server.MaxRateLimit, Window: time.Second}}},
		{"report", refserver.Config{OnResponse: coverage.New(false, true).Record}},
		{"check", refserver.Config{Check: true}},
		{"log", refserver.Config{Log: slog.New(slog.NewJSONHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug}))}},
	} {
		x := newTarget(b, test.config)
		for name, ask := range map[string]func() *http.Request{
			"read": func() *http.Request {
				return httptest.NewRequestWithContext(b.Context(), "GET", "/accounts/"+x.account+"/v1", nil)
			},
			"select": func() *http.Request {
				return httptest.NewRequestWithContext(b.Context(), "PATCH", infoPath, strings.NewReader(`{"selectedSource":{"paymentRail":"sepa","currency":"EUR"}}`))
			},
		} {
			b.Run(name+"/"+test.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r := ask()
					r.Header.Set("Authorization", "Bearer "+x.token)
					r.Header.Set("Content-Type", "application/json")
					recorder := httptest.NewRecorder()
					x.Handler.ServeHTTP(recorder, r)
					require.Equal(b, http.StatusOK, recorder.Code)
				}
			})
		}
		require.NoError(b, x.Close())
	}
}
