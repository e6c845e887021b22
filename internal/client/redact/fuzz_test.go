package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
)

// whatever is a secret with characters that encodings escape.
const whatever = `zq"se/cr&t<é+ %41`

// spellings lists the forms in which a text may have to write a secret.
func spellings(secret string) []string {
	quoted, _ := json.Marshal(secret)
	return []string{
		secret, strings.Trim(string(quoted), `"`), html.EscapeString(secret), url.QueryEscape(secret), url.PathEscape(secret),
		strings.ToLower(url.QueryEscape(secret)),
	}
}

// shows reports whether a reader could find a secret in a text, as it is or by decoding the text once.
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

// FuzzRedact puts a secret, in each of its spellings, between any two texts, and searches for it in everything that is
// shown of a request and of its response.
func FuzzRedact(f *testing.F) {
	f.Add("\xef\xbb\xbf\"", `"`, "")
	f.Add(`{"a":"`, "", "application/json")
	f.Add("<p>&#", "</p>", "text/html")
	f.Add("a=b&access_token=", "&c=d", "application/x-www-form-urlencoded")
	f.Add("<title>", "</title>", "text/html")
	f.Add(`{"token":"`, `"}`, "application/json")
	f.Fuzz(func(t *testing.T, before, after, contentType string) {
		for _, secret := range []string{whatever, "c2VjcmV0LXRva2Vu", base64.StdEncoding.EncodeToString([]byte("id:" + whatever))} {
			show := (&Secrets{}).With([]string{secret})
			for _, written := range spellings(secret) {
				if shows(before+after, secret) {
					return // the secret is in the other texts
				}
				text := before + written + after
				for what, shown := range map[string]string{
					"text": show.Text(text), "body": show.Body(contentType, []byte(text)), "field": show.HeaderField("X-Trace", text),
					"snippet": show.Snippet(contentType, []byte(text)),
				} {
					require.NotContains(t, shown, secret, "%s of %q", what, text)
				}
				if !strings.ContainsAny(written, `"&<#? `) { // a URL may contain it in this form
					for what, shown := range map[string]string{
						"query":    show.form("a=b&x=" + url.QueryEscape(before) + written + url.QueryEscape(after)),
						"address":  show.URL("https://h/" + url.PathEscape(before) + written + "?a=" + written + "#" + written),
						"location": show.HeaderField("Location", "/a?b="+written),
					} {
						require.False(t, shows(shown, secret), "%s of %q shows %q", what, written, shown)
					}
				}
				require.NotContains(t, show.HeaderField("Authorization", "Bearer "+text), secret)
				require.Regexp(t, `^\[redacted\]$`, show.HeaderField("set-Cookie", text))
			}
		}
	})
}

// Redacting keeps valid JSON valid, with the same tokens except the values that it hides, and shows no value under a
// sensitive name, whatever follows.
func FuzzRedactJSON(f *testing.F) {
	f.Add([]byte(`{"access_token":"abcdef","a":[1,{"iban":"x"},null],"b":"c"}`))
	f.Add([]byte(`[{"token":{"a":["b"]}},"c"]`))
	f.Add([]byte(`{"a":1,"password":"abc`))
	shown := func(body []byte) string {
		text, _, _ := (&Secrets{}).With(nil).rewriteJSON(body, isSensitive)
		return text
	}
	for _, seed := range []string{
		`{"secret":[{"a":{"token":1}},2],"iban":{},"b":["c"]}`, `{"token":"a","token":"b"}`,
		`{"account_number":123,"x":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		text := shown(body)
		if jsontext.Value(body).IsValid() && looksLikeJSON(body) {
			require.True(t, jsontext.Value(text).IsValid(), text)
			require.Equal(t, kinds(body), kinds([]byte(text)))
		}
		// No text behind a secret makes the secret visible.
		for _, start := range []string{`{"access_token":"zq-secret`, `{"access_token":"zq-secret",`, `{"token":["zq-secret",`, `{"token":{"a":"zq-secret"`} {
			require.NotContains(t, shown(append([]byte(start), body...)), "zq-secret")
		}
	})
}

// kinds returns the kinds of a JSON text's tokens; a number counts as a text, which it becomes when it is hidden.
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
