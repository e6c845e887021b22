package client

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// logging appends the log to lines.
func logging(lines *[]string) func(*Config) {
	return func(config *Config) { config.Log = func(line string) { *lines = append(*lines, line) } }
}

func TestLogShowsTheExchange(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("X-Trace", "abc")
		replyJSON(w, 201,
			`{"id":"trf_1","iban":"DE89370400440532013000","fees":[{"type":"bank","rate":"0.5"}],"extra":[null,true,12]}`)
	})
	var log []string
	c, _ := connect(t, s.URL, logging(&log))
	require.NoError(t, keyedCall(t.Context(), c))
	require.Contains(t, log, "> 1 POST "+s.URL+"/transfers/auto/v1")
	require.Contains(t, log, "> 1 Authorization: Bearer [redacted]")
	require.Contains(t, log, "> 1 Idempotency-Key: k-1")
	require.Contains(t, log, `> 1 {"destinationSavedContactId":"sct_1","route":"sepa:EUR->base:USDC"}`)
	require.Contains(t, log, "< 1 201 Created (0s)")
	require.Contains(t, log, "< 1 X-Trace: abc")
	require.Contains(t, log,
		`< 1 {"id":"trf_1","iban":"[redacted]","fees":[{"type":"bank","rate":"0.5"}],"extra":[null,true,"[redacted]"]}`)
}

func TestLoggedBodiesAreCut(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		replyJSON(w, 200, `{"id":"trf_1","reference":"`+strings.Repeat("é", maxLogged)+`"}`)
	})
	var log []string
	c, _ := connect(t, s.URL, logging(&log))
	require.NoError(t, readCall(t.Context(), c))
	for _, line := range log {
		require.LessOrEqual(t, len(line), maxLogged+len("< 1 "))
	}
	require.Contains(t, strings.Join(log, "\n"), "(4096 of ")
}
