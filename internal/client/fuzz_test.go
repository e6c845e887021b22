package client

import (
	"bytes"
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
	f.Fuzz(func(t *testing.T, after, date string) {
		d, ok := retryAfter(http.Header{"Retry-After": {after}, "Date": {date}}, now)
		require.GreaterOrEqual(t, d, time.Duration(0))
		require.True(t, ok || d == 0)
	})
}

func FuzzBearerError(f *testing.F) {
	f.Add(`Bearer realm="x", error="invalid_token"`)
	f.Add(`Basic realm="x", Bearer error=invalid_token`)
	f.Add(`Bearer error="\`)
	f.Fuzz(func(t *testing.T, header string) {
		if bearerError(header) == "" {
			return
		}
		lower := strings.ToLower(header)
		require.Contains(t, lower, "bearer")
		require.Contains(t, lower, "error")
	})
}

// Redacting keeps valid JSON valid, with the same tokens but for the values that it hides, and shows no value under a
// sensitive name, however the text goes on.
func FuzzRedactJSON(f *testing.F) {
	f.Add([]byte(`{"access_token":"abcdef","a":[1,{"iban":"x"},null],"b":"c"}`))
	f.Add([]byte(`[{"token":{"a":["b"]}},"c"]`))
	f.Add([]byte(`{"a":1,"password":"abc`))
	f.Fuzz(func(t *testing.T, body []byte) {
		shown := redactor{}.json(body)
		if jsontext.Value(body).IsValid() && looksLikeJSON(body) {
			require.True(t, jsontext.Value(shown).IsValid(), shown)
			require.Equal(t, kinds(body), kinds([]byte(shown)))
		}
		// Glued behind a secret, whatever it is, it does not bring the secret to light.
		for _, start := range []string{`{"access_token":"zq-secret`, `{"access_token":"zq-secret",`, `{"token":["zq-secret",`, `{"token":{"a":"zq-secret"`} {
			require.NotContains(t, redactor{}.json(append([]byte(start), body...)), "zq-secret")
		}
	})
}

// kinds are the kinds of a JSON text's tokens; a number may become a text, being hidden.
func kinds(body []byte) string {
	var b bytes.Buffer
	decoder := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true))
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			return b.String()
		}
		kind := byte(token.Kind())
		switch kind {
		case '0', 't', 'f', 'n':
			kind = '"'
		}
		b.WriteByte(kind)
	}
}

func FuzzPointed(f *testing.F) {
	f.Add([]byte(`{"a":[{"b/c":"d"}]}`), "/a/0/b~1c")
	f.Add([]byte(`[1]`), "/00")
	f.Add([]byte(`{"":1}`), "/")
	f.Fuzz(func(t *testing.T, body []byte, pointer string) {
		value := jsontext.Value(body)
		if !value.IsValid() || !jsontext.Pointer(pointer).IsValid() {
			return
		}
		if found, ok := pointed(value, jsontext.Pointer(pointer)); ok {
			require.True(t, found.IsValid())
			require.Contains(t, string(body), string(found))
		}
	})
}

func FuzzOverrides(f *testing.F) {
	f.Add("getKycStatus", "GET /kyc/{accountId}/v2")
	f.Add("createAutoTransfer", "GET /x")
	f.Add("getKycStatus", "GET /}{")
	f.Fuzz(func(t *testing.T, id, text string) {
		routes, err := overrides(map[string]string{id: text})
		if err != nil {
			require.Empty(t, routes)
			return
		}
		r := routes[id]
		require.Equal(t, text, r.method+" "+r.path)
		require.True(t, strings.HasPrefix(r.path, "/"))
	})
}
