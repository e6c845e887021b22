package client

import (
	"io"
	stdlog "log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

func discardLogger() *stdlog.Logger { return stdlog.New(io.Discard, "", 0) }

// Plain HTTP is used only with this machine. The tests of package settings have more of its names.
func TestPlainHTTP(t *testing.T) {
	t.Parallel()
	for base, allowed := range map[string]bool{
		"https://api.example.com/prefix/": true, "http://127.0.0.2:1": true, "http://[::1]:1": true,
		"http://api.example.com": false, "http://10.0.0.1": false, "http://localhost.example.com": false,
	} {
		u, err := url.Parse(base)
		require.NoError(t, err)
		_, err = New(Config{BaseURL: u})
		if !allowed {
			require.Equal(t, payments.ProblemInsecure, kindOf(t, err))
			_, err = New(Config{BaseURL: u, AllowInsecureHTTP: true})
		}
		require.NoError(t, err, base)
	}
}

func TestIdentifiersThatAreNoPathSegment(t *testing.T) {
	t.Parallel()
	c, _ := connect(t, deadURL)
	for _, id := range []string{"", ".", ".."} {
		_, err := c.GetAccount(t.Context(), id)
		require.Equal(t, payments.ProblemNotFound, kindOf(t, err))
		_, err = c.DeleteSavedContact(t.Context(), id)
		require.Equal(t, payments.ProblemNotFound, kindOf(t, err))
	}
}

// A read that asks the service to hold its response has that time in addition to the timeout. A repeated attempt asks
// for the rest of it.
func TestHeldReads(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		if n == 1 {
			w.Header().Set("Retry-After", "25")
			replyProblem(w, 503, payments.ProblemUnavailable)
			return
		}
		replyJSON(w, 200, `{"data":[]}`)
	})
	c, w := connect(t, s.URL, func(config *Config) { config.Timeout = time.Second })
	_, err := c.ListEvents(t.Context(), payments.EventFilter{Wait: time.Minute})
	require.NoError(t, err)
	require.Len(t, w.Slept(), 1, "25 s are within the minute")
	require.Equal(t, "wait=60", s.request(0).Header.Get("Prefer"))
	require.Equal(t, "wait=34", s.request(1).Header.Get("Prefer"))
}

// The client uses HTTP/1.1 even if the service offers HTTP/2.
func TestHTTP1Alone(t *testing.T) {
	t.Parallel()
	var protocol string
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocol = r.Proto + " " + r.Header.Get("Idempotency-Key")
		replyJSON(w, 201, transferBody)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	c, _ := connect(t, s.URL, func(config *Config) {
		config.RootCAs = s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	})
	require.NoError(t, keyedCall(t.Context(), c))
	require.Equal(t, "HTTP/1.1 k-1", protocol)
}
