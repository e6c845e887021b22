package client

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

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
		problem := readProblem(
			&payments.Response{Status: 400, Header: http.Header{"Content-Type": {contentType}}, Body: body}, time.Time{},
			strings.Clone)
		if problem == nil {
			return
		}
		require.True(t, jsontext.Value(body).IsValid(), "only JSON is a problem document")
		require.Contains(t, strings.ToLower(contentType), "json") // RFC 9110 section 8.3.1
		for name, messages := range problem.Errors {
			require.True(t, utf8.ValidString(name))
			for _, message := range messages {
				require.True(t, utf8.ValidString(message))
			}
		}
	})
}
