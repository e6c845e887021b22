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
	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/payments"
)

func discardLogger() *stdlog.Logger { return stdlog.New(io.Discard, "", 0) }

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		base   string
		change func(*Config)
		kind   payments.ProblemType
	}{
		"plain http to a host":            {"http://api.example.com", nil, payments.ProblemInsecure},
		"plain http to an address":        {"http://10.0.0.1", nil, payments.ProblemInsecure},
		"a name that only begins so":      {"http://localhost.example.com", nil, payments.ProblemInsecure},
		"nothing wrong, https":            {"https://api.example.com/prefix/", mapped(t, "operations:\n  getKycStatus: POST /x/{id}"), ""},
		"nothing wrong, loopback":         {"http://127.0.0.2:1", nil, ""},
		"nothing wrong, loopback, IPv6":   {"http://[::1]:1", nil, ""},
		"nothing wrong, insecure on wish": {"http://api.example.com", func(c *Config) { c.AllowInsecureHTTP = true }, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(test.base)
			require.NoError(t, err)
			config := Config{BaseURL: u}
			if test.change != nil {
				test.change(&config)
			}
			_, err = New(config)
			if test.kind == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, test.kind, kindOf(t, err))
		})
	}
}

// mapped gives a client the service map of a profile.
func mapped(t *testing.T, profile string) func(*Config) {
	t.Helper()
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(profile), &document))
	service, mistakes := servicemap.Parse(document.Content[0])
	require.Empty(t, mistakes)
	return func(config *Config) { config.ServiceMap = service }
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

// A read that asks the service to hold its response has that time in addition to the timeout; a repeated attempt asks
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

// A service that offers HTTP/2 is spoken to by HTTP/1.1.
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
