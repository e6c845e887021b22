package client

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

func TestDoRefuses(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { replyJSON(w, 200, "{}") })
	c, _ := connect(t, s.URL)
	tests := map[string]struct {
		method, path string
		header       http.Header
	}{
		"no method":             {"", "/x", nil},
		"lower case":            {"get", "/x", nil},
		"a tunnel":              {"CONNECT", "/x", nil},
		"two requests":          {"GET / HTTP/1.1\r\n\r\nDELETE", "/x", nil},
		"a URL":                 {"GET", "https://example.com/x", nil},
		"a host":                {"GET", "//example.com/x", nil},
		"no slash":              {"GET", "x", nil},
		"a fragment":            {"GET", "/x#y", nil},
		"a space":               {"GET", "/x y", nil},
		"a line end":            {"GET", "/x\r\nHost: y", nil},
		"a bad escape":          {"GET", "/x%zz", nil},
		"a bad query":           {"GET", "/x?%zz", nil},
		"another credential":    {"GET", "/x", http.Header{"authorization": {"Basic x"}}},
		"a host header":         {"GET", "/x", http.Header{"Host": {"example.com"}}},
		"framing":               {"POST", "/x", http.Header{"Transfer-Encoding": {"chunked"}}},
		"another key header":    {"POST", "/x", http.Header{"X-Idempotency-Key": {"k"}}},
		"another method":        {"GET", "/x", http.Header{"x-http-method-override": {"POST"}}},
		"a method of others":    {"GET", "/x", http.Header{"X-Method-Override": {"DELETE"}}},
		"an escaped slash":      {"GET", "/a%2f..%2f..%2fx", nil},
		"an escaped backslash":  {"GET", "/a%5c..%5cx", nil},
		"a parameter":           {"GET", "/..;a=b/x", nil},
		"two keys":              {"POST", "/x", http.Header{"Idempotency-Key": {"k", "l"}}},
		"an empty key":          {"POST", "/x", http.Header{"Idempotency-Key": {""}}},
		"a key with a line end": {"POST", "/x", http.Header{"Idempotency-Key": {"k\nx"}}},
		"a header with one":     {"GET", "/x", http.Header{"X-Y": {"a\r\nb"}}},
		"a header without name": {"GET", "/x", http.Header{"": {"a"}}},
	}
	for name, test := range tests {
		answer, err := c.Do(t.Context(), test.method, test.path, nil, test.header, nil)
		require.Equal(t, payments.ProblemInvalidRequest, kindOf(t, err), name)
		require.Nil(t, answer)
	}
	for _, key := range []string{"a b", "a\r\nX: y", "ключ"} {
		_, err := c.CreateAutoTransfer(t.Context(), newTransfer, testKey{Key: key})
		require.Equal(t, payments.ProblemInvalidRequest, kindOf(t, err), key)
	}
	require.Zero(t, s.count())
}

// Do repeats reads, and writes that have an idempotency key.
func TestDoDistinguishesReadsFromWrites(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		method, path string
		header       http.Header
		sent         int
		unknown      bool
	}{
		"GET":             {"GET", "/x", nil, 3, false},
		"HEAD":            {"HEAD", "/x", nil, 3, false},
		"OPTIONS":         {"OPTIONS", "/x", nil, 3, false},
		"route selection": {"PATCH", "/transfers/info/v1", nil, 3, false},
		"another PATCH":   {"PATCH", "/x", nil, 1, true},
		"PUT":             {"PUT", "/x", nil, 1, true},
		"DELETE":          {"DELETE", "/x", nil, 1, true},
		"POST":            {"POST", "/x", nil, 1, true},
		"POST with key":   {"POST", "/x", http.Header{"idempotency-key": {"k-1"}}, 3, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { status(503)(w) })
			c, _ := connect(t, s.URL)
			_, err := c.Do(t.Context(), test.method, test.path, nil, test.header, nil)
			require.Equal(t, test.unknown, kindOf(t, err) == payments.ProblemOutcomeUnknown)
			require.Equal(t, test.sent, s.count())
		})
	}
}

func TestDoReadsHeadOfWhatIsLarge(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { w.Header().Set("Content-Length", "99999999") })
	c, _ := connect(t, s.URL)
	answer, err := c.Do(t.Context(), "HEAD", "/x", nil, nil, nil)
	require.NoError(t, err)
	require.Empty(t, answer.Body)
}
