package client

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

func compressed(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

// What is not clearly JSON is no success, least of all of a write: a program between may have answered.
func TestSuccessesThatAreNotClearlyJSON(t *testing.T) {
	t.Parallel()
	zipped := compressed(transferBody)
	damaged := bytes.Clone(zipped)
	damaged[len(damaged)-8] ^= 1 // its checksum
	for name, test := range map[string]struct {
		header http.Header
		body   []byte
		why    string
	}{
		"HTML with JSON inside":    {http.Header{"Content-Type": {"text/html"}}, []byte(transferBody), "instead of JSON"},
		"a problem":                {http.Header{"Content-Type": {"application/problem+json"}}, []byte(transferBody), "instead of JSON"},
		"events as JSON":           {http.Header{"Content-Type": {"application/json"}}, []byte("data: " + transferBody + "\n\n"), "JSON"},
		"two types":                {http.Header{"Content-Type": {"application/json", "text/html"}}, []byte(transferBody), "instead of JSON"},
		"no type and no JSON":      {http.Header{"Content-Type": nil}, []byte("<html>"), "JSON"},
		"brotli unasked":           {http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"br"}}, []byte(transferBody), `the content coding "br"`},
		"gzip twice":               {http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip, gzip"}}, compressed(string(zipped)), `the content coding "gzip, gzip"`},
		"gzip that is none":        {http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, []byte(transferBody), "no complete answer"},
		"gzip that is damaged":     {http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, damaged, "no complete answer"},
		"gzip without being named": {http.Header{"Content-Type": {"application/json"}}, zipped, "JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				for field, values := range test.header {
					w.Header()[field] = values
				}
				w.WriteHeader(http.StatusOK)
				_, _ = w.Write(test.body)
			})
			for class, call := range map[string]func(context.Context, *Client) error{
				"read": readCall, "token": tokenCall, "write": keyedCall, "cancel": cancelCall, "delete": deleteCall,
				"revoke": func(ctx context.Context, c *Client) error { return c.RevokeAccessToken(ctx, testToken) },
			} {
				c, _ := connect(t, s.URL, func(config *Config) { config.Retries = 0 })
				err := call(t.Context(), c)
				want := payments.ProblemOutcomeUnknown
				if class == "read" || class == "token" {
					want = payments.ProblemUnusable
				}
				require.Equal(t, want, kindOf(t, err), "%s: %v", class, err)
				require.Contains(t, err.Error(), test.why, class)
			}
		})
	}
}
