package client

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// A trace that the caller is a part of goes with every attempt; what is no trace does not.
func TestTraceOfTheCaller(t *testing.T) {
	t.Parallel()
	const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for given, sent := range map[string][]string{
		trace:                      {trace},
		"":                         nil,
		"nonsense":                 nil,
		trace + "\r\nX-Evil: 1":    nil,
		trace + "-more":            nil,
		"cc" + trace[2:] + "-\r\n": nil,
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
			if n == 1 {
				reply(w, http.StatusServiceUnavailable, "application/problem+json", `{"title":"T","status":503,"traceId":"t"}`)
				return
			}
			replyJSON(w, http.StatusOK, transferBody)
		})
		c, _ := connect(t, s.URL, func(config *Config) { config.Traceparent = given })
		require.NoError(t, readCall(t.Context(), c))
		require.Equal(t, 2, s.count())
		for i := range s.count() {
			require.Equal(t, sent, s.request(i).Header["Traceparent"], "%q", given)
			require.Empty(t, s.request(i).Header["X-Evil"])
		}
	}
}
