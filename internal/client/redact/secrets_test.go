package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// encodings are the forms in which services and proxies repeat text of a request.
var encodings = map[string]func(string) string{
	"plain":           func(s string) string { return s },
	"JSON":            func(s string) string { b, _ := json.Marshal(s); return string(b[1 : len(b)-1]) },
	"a query":         url.QueryEscape,
	"a path":          url.PathEscape,
	"hexadecimal":     func(s string) string { return fmt.Sprintf("%x", s) },
	"HTML":            html.EscapeString,
	"base64":          func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 of Basic": func(s string) string { return base64.StdEncoding.EncodeToString([]byte("client:" + s)) },
	"base64 inside":   func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("xy" + s + "z")) },
}

// A credential is removed in whatever form and place a service repeats it. Nothing else is removed.
func TestCredentialsAreStrippedFromAnswers(t *testing.T) {
	t.Parallel()
	for name, encode := range encodings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				secret := "zq" + rapid.StringMatching(`[A-Za-z0-9<>&"'+/=%~._-]{8,40}`).Draw(rt, "secret") + "qz"
				var s Secrets
				s.Add("another-one", secret)
				echo := encode(secret)
				quoted := `"` + echo + `"`
				if !json.Valid([]byte(quoted)) {
					b, err := json.Marshal(echo)
					require.NoError(rt, err)
					quoted = string(b)
				}
				for _, body := range []string{
					`{"a":` + quoted + `,"b":[1,"kept"],"n":12.50}`, "<p>" + echo + "</p> kept 12.50", "kept 12.50\n" + echo,
					`{"b":"kept 12.50","a":"` + echo,
				} {
					header := map[string][]string{"X-Echo": {"v " + echo}}
					s.Header(header)
					stripped := s.Body([]byte(body))
					shown := s.Redact("HTTP/1.1 200 "+echo) + header["X-Echo"][0] + string(stripped)
					require.NotContains(rt, shown, echo)
					require.NotContains(rt, shown, secret)
					require.Contains(rt, string(stripped), "kept")
					require.Contains(rt, string(stripped), "12.50")
					require.Equal(rt, json.Valid([]byte(body)), json.Valid(stripped))
				}
			})
		})
	}
}

// JSON may escape any character of a credential.
func TestEscapedCredentialsAreStrippedFromJSON(t *testing.T) {
	t.Parallel()
	var s Secrets
	s.Add("long-enough")
	escaped := ""
	for _, octet := range []byte("long-enough") {
		escaped += fmt.Sprintf(`\u%04x`, octet)
	}
	require.Equal(t, `{"a":"an [redacted]","b":1}`, string(s.Body([]byte(`{"a":"an `+escaped+`","b":1}`))))
}

func TestAnswersWithoutCredentialsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	var s Secrets
	s.Add("short", "long-enough", "12345678")
	for _, body := range []string{"", `{ "a" : "x\u0041",  "short": 1.0 }`, "\x00\xff short", `{"a`} {
		require.Equal(t, body, string(s.Body([]byte(body))))
	}
	require.Equal(t, `{"a":"[redacted]","b":"short"}`, string(s.Body([]byte(`{"a": 12345678, "b": "short"}`))),
		"a hidden number leaves valid JSON")
	require.Equal(t, "no [redacted] here", s.Redact("no long-enough here"))
}
