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
	plain := []byte(transferBody)
	for name, test := range map[string]struct {
		types  []string // media types
		coding string
		body   []byte
		why    string
	}{
		"HTML with JSON inside":    {[]string{"text/html"}, "", plain, "instead of JSON"},
		"a problem":                {[]string{"application/problem+json"}, "", plain, "instead of JSON"},
		"events as JSON":           {[]string{"application/json"}, "", []byte("data: " + transferBody + "\n\n"), "JSON"},
		"two types":                {[]string{"application/json", "text/html"}, "", plain, "instead of JSON"},
		"no type and no JSON":      {nil, "", []byte("<html>"), "JSON"},
		"brotli unasked":           {[]string{"application/json"}, "br", plain, `the content coding "br"`},
		"gzip twice":               {[]string{"application/json"}, "gzip, gzip", zipped, `the content coding "gzip, gzip"`},
		"gzip that is none":        {[]string{"application/json"}, "gzip", plain, "no complete answer"},
		"gzip that is damaged":     {[]string{"application/json"}, "gzip", damaged, "no complete answer"},
		"gzip without being named": {[]string{"application/json"}, "", zipped, "JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				w.Header()["Content-Type"] = test.types
				if test.coding != "" {
					w.Header().Set("Content-Encoding", test.coding)
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
