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
		link, ok := safeLink(text)
		require.True(t, ok, text)
		require.Equal(t, text, link)
	}
	for _, text := range []string{
		"", "javascript:alert(1)", "file:///etc/passwd", "//host/x", "https:///x", "https:x", "https://good.example@evil.example/",
		"https://good.example\\@evil.example/", "https://a.example/\x1b[2J", "https://a.example/\u202egnp", "https://a.example/\n--help",
		"https://a.example/\xff", "https://аpple.example/", // the first letter is Cyrillic
		"https://xn--pple-43d.example/", "https://a.XN--pple-43d.example/", "https://good.example%2eevil.example/",
		"https://a.example/" + strings.Repeat("x", longestLink),
	} {
		_, ok := safeLink(text)
		require.False(t, ok, "%q", text)
	}
}
