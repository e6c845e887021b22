package client

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/dialect"
	"github.com/payctl/payctl/internal/payments"
)

// FuzzLogged puts a secret into all parts of an exchange, and searches the log for it and for lines without the log's
// prefix.
func FuzzLogged(f *testing.F) {
	f.Add("Cookie", "application/x-www-form-urlencoded", "&a=", "x?y")
	f.Add("x-api-key", "application/json", `{"a":`, "x")
	f.Add("X", "a\r\nb", "a\nb\n", "x")
	f.Add("Location", "https://h/?token=", "", "")
	f.Add("X-Trace", "a", `{"a":1}`, "accounts/v1")
	f.Fuzz(func(t *testing.T, name, value, body, path string) {
		const secret = "zq-secret-token"
		if strings.Contains(name+value+body+path, "zq-secret") {
			return
		}
		var lines []string
		log := &wireLog{
			line: func(line string) { lines = append(lines, line) }, now: func() time.Time { return time.Time{} }, secrets: &redact.Secrets{},
		}
		target := &url.URL{Scheme: "https", Host: "h", Path: "/" + path, RawQuery: "token=" + secret + "&a=" + url.QueryEscape(value+secret)}
		r := &request{method: http.MethodPost, url: target, body: []byte(`{"client_secret":"` + secret + `","a":"` + secret + `"}`)}
		r.secrets = []string{secret}
		wire := &http.Request{Method: r.method, URL: r.url, Header: http.Header{name: {value + secret}, "Authorization": {"Bearer " + secret}}}
		logged := log.request(r, wire)
		logged.ended(&Response{Status: 200, Header: http.Header{name: {secret + value}, "Content-Type": {value}}, Body: []byte(body + secret + body)}, nil)
		logged.ended(nil, &url.Error{Op: "Post", URL: target.String(), Err: http.ErrHandlerTimeout})
		require.NotEmpty(t, lines)
		for _, line := range lines {
			require.NotContains(t, line, secret)
			require.Regexp(t, `(?s)^[<>*] 1 `, line)
		}
	})
}

// FuzzDecode checks that a response is a JSON object, or an error that repeats nothing of it.
func FuzzDecode(f *testing.F) {
	f.Add("application/json", []byte("[]"))
	f.Add("application/json; charset", []byte("{}"))
	f.Add("", []byte(" \n{\"id\":\"a\"}"))
	f.Add("text/html", []byte("<html>"))
	f.Add("application/json", []byte(`{"id":"a","at":"2026-01-01T00:00:00Z","list":[1]}`))
	f.Add("application/problem+json", []byte("{}"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		c := &Client{dialect: &dialect.Dialect{}}
		document, what := c.documentOf(&contract.GetKYCStatus,
			&Response{Status: 200, Header: http.Header{"Content-Type": {contentType}}, Body: body})
		var kyc payments.KYC
		if what == "" && payments.Read(document, &kyc, c.dialect.TranslateType) == nil {
			require.True(t, json.Valid(body) || !utf8.Valid(body) || body[0] == 0xef)
			require.Equal(t, byte('{'), document[0])
			return
		}
		require.LessOrEqual(t, len(what), 600)
	})
}
