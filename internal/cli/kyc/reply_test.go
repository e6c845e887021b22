package kyc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A link that may not lead to where a person thinks that it leads is not sent to anyone.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"https://verify.payctl.example/acc_1", "https://verify.example:8443/a?b=c%20d&e=-#f", "http://127.0.0.1:4010/x", "https://[::1]:1/x",
	} {
		link, err := checkLink(text)
		require.NoError(t, err, text)
		require.Equal(t, text, link)
	}
	for text, why := range map[string]string{
		"":                                     "does not begin with",
		"javascript:alert(1)":                  "does not begin with",
		"file:///etc/passwd":                   "does not begin with",
		"//host/x":                             "does not begin with",
		"https:///x":                           "names no host",
		"https:x":                              "names no host",
		"https://good.example@evil.example/":   "user name",
		"https://good.example\\@evil.example/": "characters that no link has",
		"https://a.example/\x1b[2J":            "characters that no link has",
		"https://a.example/\u202egnp":          "characters that no link has",
		"https://a.example/\n--help":           "characters that no link has",
		"https://a.example/\xff":               "characters that no link has",
		"https://аpple.example/":               "look like others", // the first letter is Cyrillic
		"https://xn--pple-43d.example/":        "look like others",
		"https://a.XN--pple-43d.example/":      "look like others",
		"https://good.example%2eevil.example/": "no link",
		"https://a.example/" + strings.Repeat("x", longestLink): "longer than",
	} {
		link, err := checkLink(text)
		require.ErrorContains(t, err, why, "%q", text)
		require.Empty(t, link)
	}
}
