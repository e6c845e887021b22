package watchui

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLinks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://verify.payctl.example/acc_1":         "verify.payctl.example",
		"HTTPS://Verify.Example:8443/a?b=c%20d&e=-#f": "Verify.Example:8443",
		"http://127.0.0.1:4010/x":                     "127.0.0.1:4010",
		"https://[::1]:1/x":                           "[::1]:1",
	} {
		link, host, err := CheckLink(text)
		require.NoError(t, err, text)
		require.Equal(t, want, host)
		require.True(t, strings.HasPrefix(link, "http"), link)
	}
	for text, why := range map[string]string{
		"":                                     "does not begin with",
		"javascript:alert(1)":                  "does not begin with",
		"file:///etc/passwd":                   "does not begin with",
		"-oProxyCommand=x":                     "does not begin with",
		"--help":                               "does not begin with",
		"//host/x":                             "does not begin with",
		"vscode://x/y":                         "does not begin with",
		"https:///x":                           "names no host",
		"https:x":                              "names no host",
		"https://good.example@evil.example/":   "user name",
		"https://good.example:p@evil.example/": "user name",
		"https://good.example\\@evil.example/": "characters that no link has",
		"https://a.example/\x1b[2J":            "characters that no link has",
		"https://a.example/\u202egnp":          "characters that no link has",
		"https://a.example/\n--help":           "characters that no link has",
		"https://a.example/ b":                 "characters that no link has",
		"https://a.example/\xff":               "characters that no link has",
		"https://аpple.example/":               "look like others", // the first letter is Cyrillic
		"https://xn--pple-43d.example/":        "xn--",
		"https://a.XN--pple-43d.example/":      "xn--",
		"https://a_b.example/":                 "look like others",
		"https://good.example%2eevil.example/": "no link",
		"https://a.example:port/":              "no link",
		"https://a.example/" + strings.Repeat("x", longestLink): "longer than",
	} {
		link, _, err := CheckLink(text)
		require.ErrorContains(t, err, why, "%q", text)
		require.Empty(t, link)
	}
}

func TestFindBrowser(t *testing.T) {
	t.Parallel()
	none := []string(nil)
	for _, c := range []struct {
		system, env, there string
		want               []string
	}{
		{"linux", "DISPLAY=:0", "xdg-open", []string{"/bin/xdg-open"}},
		{"linux", "WAYLAND_DISPLAY=wayland-0", "x-www-browser", []string{"/bin/x-www-browser"}},
		{"linux", "DISPLAY=:0", "", none},
		{"linux", "", "xdg-open", none},
		{"linux", "SSH_CONNECTION=x", "xdg-open", none},
		{"linux", "SSH_CONNECTION=x DISPLAY=localhost:10", "xdg-open", []string{"/bin/xdg-open"}},
		{"linux", "WSL_DISTRO_NAME=Debian", "wslview", []string{"/bin/wslview"}},
		{"darwin", "", "open", []string{"/bin/open"}},
		{"darwin", "SSH_TTY=x", "open", none},
		{"windows", "", "", []string{}},
		{"windows", "SSH_CONNECTION=x", "", none},
	} {
		getenv := func(name string) string {
			for pair := range strings.FieldsSeq(c.env) {
				if value, ok := strings.CutPrefix(pair, name+"="); ok {
					return value
				}
			}
			return ""
		}
		command, err := findBrowser(c.system, getenv, func(name string) (string, error) {
			if name != c.there {
				return "", errors.New("not there")
			}
			return "/bin/" + name, nil
		})
		require.NoError(t, err)
		require.Equal(t, c.want, command, "%+v", c)
	}
}
