package client

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
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
		d, ok := retryAfter(http.Header{"Retry-After": {after}, "Date": {date}}, now)
		require.GreaterOrEqual(t, d, time.Duration(0))
		require.True(t, ok || d == 0)
	})
}

// FuzzTranslate checks that a profile's differences never lose a member of a document, nor stop its reading.
func FuzzTranslate(f *testing.F) {
	f.Add([]byte(`{"a":[{"b/c":"d"}]}`), "/a/0/b~1c", "d")
	f.Add([]byte(`{"":1}`), "/", "1")
	f.Add([]byte(`{"":{"~/":[[],{"a":0}]}}`), "//~0~1/1/a", "x")
	f.Add([]byte(`{"state":"PAID","a":1,"a":2}`), "/a", "PAID")
	f.Fuzz(func(t *testing.T, body []byte, pointer, word string) {
		d, err := newDialect(Differences{
			Members: map[string]string{"transfer.id": pointer}, Values: map[string]string{"transfer.payment_processed": word},
		})
		if err != nil {
			return
		}
		translated := d.translate("transfer", body)
		var before, after map[string]any
		if json.Unmarshal(body, &before) != nil {
			require.Equal(t, string(body), string(translated))
			return
		}
		require.NoError(t, json.Unmarshal(translated, &after))
		for name := range before {
			require.Contains(t, after, name)
		}
		var transfer payments.Transfer
		require.NoError(t, payments.Read(translated, &transfer, nil))
	})
}

func FuzzParseMappings(f *testing.F) {
	f.Add("getKycStatus", "GET /kyc/{accountId}/v2")
	f.Add("createAutoTransfer", "GET /x")
	f.Add("getKycStatus", "GET /}{")
	f.Add("getKycStatus", "GET /../{a}")
	f.Add("getKycStatus", "GET //x/{a}")
	f.Fuzz(func(t *testing.T, id, text string) {
		d, err := newDialect(Differences{Operations: map[string]string{id: text}})
		if err != nil {
			return
		}
		r := d.routes[id]
		require.Equal(t, text, r.method+" "+r.path)
		require.True(t, strings.HasPrefix(r.path, "/"))
	})
}
