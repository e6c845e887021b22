package client

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
)

func FuzzParseProblem(f *testing.F) {
	f.Add("application/problem+json", []byte(`{"type":"a","title":"T","status":400,"errors":{"a":["b"],"c":"d"}}`))
	f.Add("application/json", []byte(`{"title":"T","status":1e99}`))
	f.Add("text/html", []byte(`<html>`))
	f.Add("0+jSon", []byte(`{"title":"0","type":"0"}`))
	f.Add("application/json;charset=utf-8", []byte(`{"title":"T","detail":"D","errors":{"a":[1],"b":"m","c":{"d":[]}}}`))
	f.Add("application/problem+json", []byte("{\"title\":\"\\u001b[2J\",\"type\":\"payctl:x\"}"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		problem, ok := parseProblem(contentType, body)
		if !ok {
			return
		}
		require.True(t, jsontext.Value(body).IsValid(), "what is no JSON is no problem document")
		require.Contains(t, strings.ToLower(contentType), "json") // RFC 9110 section 8.3.1
		for name, messages := range problem.Errors {
			require.True(t, utf8.ValidString(name))
			for _, message := range messages {
				require.True(t, utf8.ValidString(message))
			}
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	f.Add("120", "")
	f.Add("Fri, 02 Jan 2026 04:04:05 GMT", "Fri, 02 Jan 2026 03:04:05 GMT")
	f.Add("-1", "x")
	f.Add("18446744073709551615", "")
	f.Add("Fri Jan  2 04:04:05 2026", "Fri, 02 Jan 2026 03:04:05 GMT")
	f.Add("Fri, 02 Jan 2026 03:04:05 GMT", "Fri, 02 Jan 2026 04:04:05 GMT")
	f.Add("Thu, 01 Jan 1970 00:00:00 GMT", "")
	f.Fuzz(func(t *testing.T, after, date string) {
		d, ok := RetryAfter(http.Header{"Retry-After": {after}, "Date": {date}}, now)
		require.GreaterOrEqual(t, d, time.Duration(0))
		require.True(t, ok || d == 0)
	})
}
