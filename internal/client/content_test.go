package client

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

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

// inUTF16 encodes a text as big-endian UTF-16 with a byte order mark.
func inUTF16(text string) []byte {
	encoded := []byte{0xfe, 0xff}
	for _, unit := range utf16.Encode([]rune(text)) {
		encoded = append(encoded, byte(unit>>8), byte(unit))
	}
	return encoded
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
		"HTML with JSON inside":      {http.Header{"Content-Type": {"text/html"}}, []byte(transferBody), "in place of JSON"},
		"a problem":                  {http.Header{"Content-Type": {"application/problem+json"}}, []byte(transferBody), "in place of JSON"},
		"events":                     {http.Header{"Content-Type": {"text/event-stream"}}, []byte("data: " + transferBody + "\n\n"), "in place of JSON"},
		"JSON as events":             {http.Header{"Content-Type": {"text/event-stream"}}, []byte(transferBody), "in place of JSON"},
		"events as JSON":             {http.Header{"Content-Type": {"application/json"}}, []byte("data: " + transferBody + "\n\n"), "JSON"},
		"parts":                      {http.Header{"Content-Type": {"multipart/mixed; boundary=x"}}, []byte("--x\r\nContent-Type: application/json\r\n\r\n" + transferBody + "\r\n--x--"), "in place of JSON"},
		"two types":                  {http.Header{"Content-Type": {"application/json", "text/html"}}, []byte(transferBody), "in place of JSON"},
		"two types the other way":    {http.Header{"Content-Type": {"text/html", "application/json"}}, []byte(transferBody), "in place of JSON"},
		"two types in one field":     {http.Header{"Content-Type": {"application/json; charset=utf-8, text/html"}}, []byte(transferBody), "in place of JSON"},
		"a byte order mark":          {http.Header{"Content-Type": {"application/json"}}, []byte("\ufeff" + transferBody), "JSON"},
		"UTF-16":                     {http.Header{"Content-Type": {"application/json; charset=utf-16"}}, inUTF16(transferBody), "JSON"},
		"UTF-16 without a mark":      {http.Header{"Content-Type": {"application/json; charset=utf-16"}}, inUTF16(transferBody)[2:], "JSON"},
		"no type and no JSON":        {http.Header{"Content-Type": nil}, []byte("<html>"), "JSON"},
		"brotli unasked":             {http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"br"}}, []byte(transferBody), `the content coding "br"`},
		"gzip twice":                 {http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip, gzip"}}, compressed(string(zipped)), `the content coding "gzip, gzip"`},
		"gzip that is none":          {http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, []byte(transferBody), "no complete answer"},
		"gzip that is damaged":       {http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, damaged, "no complete answer"},
		"gzip that is cut":           {http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, zipped[:len(zipped)-9], "no complete answer"},
		"gzip and something else":    {http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, append(bytes.Clone(zipped), "more"...), "no complete answer"},
		"gzip that is said longer":   {http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}, "Content-Length": {strconv.Itoa(len(zipped) + 1)}}, zipped, "no complete answer"},
		"gzip that is said shorter":  {http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}, "Content-Length": {strconv.Itoa(len(zipped) - 1)}}, zipped, "no complete answer"},
		"gzip without being named":   {http.Header{"Content-Type": {"application/json"}}, zipped, "JSON"},
		"deflate in place of gzip":   {http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"deflate"}}, zipped, `the content coding "deflate"`},
		"a transfer in another JSON": {http.Header{"Content-Type": {"application/json-seq"}}, []byte("\x1e" + transferBody), "in place of JSON"},
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
				want := payments.KindOutcomeUnknown
				if class == "read" || class == "token" {
					want = payments.KindUnusable
				}
				require.Equal(t, want, kindOf(t, err), "%s: %v", class, err)
				require.Contains(t, err.Error(), test.why, class)
			}
		})
	}
}

// An error status is no success, whatever its body, and only a problem document describes it.
func TestErrorsThatLookLikeSuccesses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		header http.Header
		body   string
	}{
		"a transfer":               {http.Header{"Content-Type": {"application/json"}}, transferBody},
		"a problem as HTML":        {http.Header{"Content-Type": {"text/html"}}, `{"type":"a","title":"T","status":400}`},
		"a problem of two types":   {http.Header{"Content-Type": {"application/problem+json", "text/html"}}, `{"type":"a","title":"T","status":400}`},
		"a problem in brotli":      {http.Header{"Content-Type": {"application/problem+json"}, "Content-Encoding": {"br"}}, "\x8b\x02\x80"},
		"a problem with a mark":    {http.Header{"Content-Type": {"application/problem+json"}}, "\ufeff" + `{"type":"a","title":"T","status":400}`},
		"a problem in UTF-16":      {http.Header{"Content-Type": {"application/problem+json; charset=utf-16"}}, string(inUTF16(`{"type":"a","title":"T"}`))},
		"an event of a stream":     {http.Header{"Content-Type": {"text/event-stream"}}, "data: {}\n\n"},
		"a very large description": {http.Header{"Content-Type": {"text/plain"}}, strings.Repeat("a", 1<<20)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for status, want := range map[int]payments.Kind{400: payments.KindRefused, 500: payments.KindOutcomeUnknown} {
				s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
					for field, values := range test.header {
						w.Header()[field] = values
					}
					w.WriteHeader(status)
					_, _ = w.Write([]byte(test.body))
				})
				for _, call := range []func(context.Context, *Client) error{keyedCall, cancelCall, deleteCall} {
					c, _ := connect(t, s.URL, func(config *Config) { config.Retries = 0 })
					err := call(t.Context(), c)
					require.Equal(t, want, kindOf(t, err), "%v", err)
					require.Less(t, len(err.Error()), 1000)
				}
			}
		})
	}
}
