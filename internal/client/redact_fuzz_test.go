package client

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// whatever is a secret with characters that encodings write otherwise.
const whatever = `zq"se/cr&t<é+ %41`

// spellings are a secret as texts around it may have to write it.
func spellings(secret string) []string {
	quoted, _ := json.Marshal(secret)
	return []string{
		secret, strings.Trim(string(quoted), `"`), html.EscapeString(secret), url.QueryEscape(secret), url.PathEscape(secret),
		strings.ToLower(url.QueryEscape(secret)), percented(secret),
	}
}

// percented is a text with each byte percent-encoded.
func percented(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		b.WriteString("%" + strings.ToUpper(string("0123456789abcdef"[c>>4])+string("0123456789abcdef"[c&15])))
	}
	return b.String()
}

// shows says whether somebody could read a secret in a text, plain or by taking one of the encodings back.
func shows(text, secret string) bool {
	readings := []string{text, html.UnescapeString(text)}
	for _, unescape := range []func(string) (string, error){url.QueryUnescape, url.PathUnescape} {
		if plain, err := unescape(text); err == nil {
			readings = append(readings, plain)
		}
	}
	for _, reading := range readings {
		if strings.Contains(reading, secret) {
			return true
		}
	}
	return false
}

// FuzzRedact puts a secret, in each of the ways that it can be written, between any two texts, and looks for it in
// everything that is shown of a request and of its answer.
func FuzzRedact(f *testing.F) {
	f.Fuzz(func(t *testing.T, before, after, contentType string) {
		for _, secret := range []string{whatever, "c2VjcmV0LXRva2Vu", base64.StdEncoding.EncodeToString([]byte("id:" + whatever))} {
			var r request
			r.hide(secret)
			show := r.redactor(nil)
			for _, written := range spellings(secret) {
				if shows(before+after, secret) {
					return // it is not the secret that came with it
				}
				text := before + written + after
				for what, shown := range map[string]string{
					"text": r.scrub(text), "body": show.body(contentType, []byte(text)), "field": show.field("X-Trace", text),
					"snippet": show.snippet(contentType, []byte(text)),
				} {
					require.NotContains(t, shown, secret, "%s of %q", what, text)
				}
				if !strings.ContainsAny(written, `"&<#? `) { // it can stand in a URL so
					for what, shown := range map[string]string{
						"query":    show.query("a=b&x=" + url.QueryEscape(before) + written + url.QueryEscape(after)),
						"address":  show.address("https://h/" + url.PathEscape(before) + written + "?a=" + written + "#" + written),
						"location": show.field("Location", "/a?b="+written),
					} {
						require.False(t, shows(shown, secret), "%s of %q shows %q", what, written, shown)
					}
				}
				require.NotContains(t, show.field("Authorization", "Bearer "+text), secret)
				require.Regexp(t, `^\[redacted\]$`, show.field("set-Cookie", text))
			}
		}
	})
}

// FuzzLogged puts a secret into all parts of an exchange, and looks for it, and for lines that are none of the log's, in
// what -v shows.
func FuzzLogged(f *testing.F) {
	f.Fuzz(func(t *testing.T, name, value, body, path string) {
		const secret = "zq-secret-token"
		if strings.Contains(name+value+body+path, "zq-secret") {
			return
		}
		var lines []string
		log := newLog(func(line string) { lines = append(lines, line) }, func() time.Time { return time.Time{} })
		target := &url.URL{Scheme: "https", Host: "h", Path: "/" + path, RawQuery: "token=" + secret + "&a=" + url.QueryEscape(value+secret)}
		r := &request{method: http.MethodPost, url: target, body: []byte(`{"client_secret":"` + secret + `","a":"` + secret + `"}`)}
		r.hide(secret)
		wire := &http.Request{Method: r.method, URL: r.url, Header: http.Header{name: {value + secret}, "Authorization": {"Bearer " + secret}}}
		logged := log.request(r, wire)
		logged.answered(&Response{Status: 200, Header: http.Header{name: {secret + value}, "Content-Type": {value}}, Body: []byte(body + secret + body)})
		logged.failed(&url.Error{Op: "Post", URL: target.String(), Err: http.ErrHandlerTimeout})
		require.NotEmpty(t, lines)
		for _, line := range lines {
			require.NotContains(t, line, secret)
			require.Regexp(t, `(?s)^[<>*] 1 `, line)
		}
	})
}

// FuzzDecode holds an answer to be a JSON object or to be refused in words that repeat nothing of it.
func FuzzDecode(f *testing.F) {
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		var into struct {
			ID   string    `json:"id"`
			At   time.Time `json:"at"`
			List []int     `json:"list"`
		}
		what := decode(&Response{Status: 200, Header: http.Header{"Content-Type": {contentType}}, Body: body}, &into)
		if what == "" {
			require.True(t, json.Valid(body))
			require.Equal(t, byte('{'), []byte(strings.TrimLeft(string(body), " \t\r\n"))[0])
			return
		}
		require.LessOrEqual(t, len(what), 600)
		var answer kycAnswer
		if err := answer.UnmarshalJSON(body); err == nil && answer.misfit != nil {
			require.Zero(t, answer.KYC)
			require.Equal(t, string(body), string(answer.foreign))
		}
	})
}
