package client

import (
	"context"
	"net/http"
	"net/url"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
)

// showing returns a client that prints curl lines instead of sending, and the lines. It must not request a token.
func showing(t require.TestingT, base string) (*Client, *[]string) {
	target, err := url.Parse(base)
	require.NoError(t, err)
	var lines []string
	c, err := New(Config{
		BaseURL: target, Token: forbiddenTokens{}, KeysHonoured: true, Retries: 3,
		Curl: func(line string) error { lines = append(lines, line); return nil },
	})
	require.NoError(t, err)
	return c, &lines
}

// A curl line uses the same proxy as payctl, or none.
func TestWayOfAShownCall(t *testing.T) {
	type variables = map[string]string
	const service, proxy, none = "https://payments.test", "http://proxy.test:3128", `--noproxy '*'`
	const through, throughCapitals = `--noproxy '' --proxy "${https_proxy:?}"`, `--noproxy '' --proxy "${HTTPS_PROXY:?}"`
	for name, test := range map[string]struct {
		base        string
		environment variables
		way         string
	}{
		"no proxy":       {service, nil, none},
		"this machine":   {"http://127.0.0.1:1", variables{"http_proxy": proxy, "HTTP_PROXY": "http://proxy.test"}, none},
		"also over TLS":  {"https://localhost", variables{"https_proxy": proxy}, none},
		"of all":         {service, variables{"ALL_PROXY": proxy, "all_proxy": "proxy.test"}, none},
		"of http only":   {service, variables{"http_proxy": proxy}, none},
		"not for a port": {service + ":8443", variables{"https_proxy": proxy, "NO_PROXY": "payments.test:8443"}, none},
		"not in a range": {"https://192.0.2.7", variables{"https_proxy": proxy, "no_proxy": "192.0.2.0/24"}, none},
		"for a port":     {service, variables{"https_proxy": proxy, "NO_PROXY": "payments.test:8443"}, through},
		"with a secret":  {service, variables{"HTTPS_PROXY": "http://ada:hush@proxy.test:3128"}, throughCapitals},
		"of two": {
			service, variables{"HTTPS_PROXY": "https://a.test", "https_proxy": "http://b.test:1"}, throughCapitals,
		},
		"SOCKS and DNS": {service, variables{"https_proxy": "socks5h://proxy.test:1"}, through},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "of two" && shownAs("https_proxy") != "https_proxy" {
				t.Skip("both names are one variable here")
			}
			setProxies(t, test.environment)
			c, lines := showing(t, test.base)
			_, err := c.Do(t.Context(), http.MethodGet, "/x", nil, nil, nil)
			require.ErrorIs(t, err, ErrNotSent)
			test.way = strings.ReplaceAll(test.way, "https_proxy", shownAs("https_proxy"))
			if strings.HasPrefix(test.base, "https:") {
				test.way += " --tlsv1.2"
			}
			require.Contains(t, (*lines)[0], "curl -q "+test.way+" "+test.base+"/x ")
			require.NotContains(t, (*lines)[0], "hush")
		})
	}
	t.Run("a proxy that cannot be read", func(t *testing.T) {
		setProxies(t, map[string]string{"HTTPS_PROXY": "http://ada:hu%sh@proxy.test"})
		c, lines := showing(t, "https://payments.test")
		_, err := c.Do(t.Context(), http.MethodGet, "/x", nil, nil, nil)
		require.Equal(t, payments.ProblemUnreachable, kindOf(t, err))
		require.Empty(t, *lines, "the call would not be sent either")
	})
	t.Run("authorities", func(t *testing.T) {
		setProxies(t, nil)
		c, lines := showing(t, "https://payments.test")
		c.config.CACert = "my ca.pem"
		_, err := c.Do(t.Context(), http.MethodGet, "/x", nil, nil, nil)
		require.ErrorIs(t, err, ErrNotSent)
		require.Contains(t, (*lines)[0], "--cacert 'my ca.pem' --capath /dev/null ", "the system's authorities do not count")
	})
}

// TestCommandLineSurvivesTheShellProperty runs curl lines in a shell. A function in place of curl prints its
// arguments.
func TestCommandLineSurvivesTheShellProperty(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no POSIX sh")
	}
	const fake = `curl() { for word; do printf '%s\0' "$word"; done; printf 'END\0'; case "$*" in *"--data-binary @-"*) cat ;; esac; }
`
	rapid.Check(t, func(rt *rapid.T) {
		c, lines := showing(rt, "http://127.0.0.1:1/it's")
		body := rapid.OneOf(
			rapid.SliceOf(rapid.Byte()),
			rapid.Custom(func(t *rapid.T) []byte { return []byte(rapid.String().Draw(t, "text")) }),
			rapid.SampledFrom([][]byte{
				[]byte("@/etc/passwd"), []byte("-\u00a0"), []byte(`'"$HOME` + "`id`" + `\n%s`), {0, '1', '%', '\\'},
				[]byte(strings.Repeat("it's ", 40000)), []byte("a\nb\r\n"), []byte("\u202e\ufffd\xff"),
			}),
		).Draw(rt, "body")
		note := rapid.StringMatching(`[ -~]{0,20}`).Draw(rt, "header")
		_, err := c.Do(t.Context(), http.MethodPut, "/x$(id)&", url.Values{"q": {note}}, http.Header{"X-Note": {note}}, body)
		require.ErrorIs(rt, err, ErrNotSent)
		command := exec.CommandContext(t.Context(), shell)
		command.Stdin = strings.NewReader(fake + (*lines)[0] + "\n")
		command.Env = []string{"PAYCTL_TOKEN=secret of the environment", "PATH=/usr/bin:/bin"}
		output, err := command.Output()
		require.NoError(rt, err)
		given, piped, _ := strings.Cut(string(output), "END\x00")
		words := strings.Split(strings.TrimSuffix(given, "\x00"), "\x00")
		require.Contains(rt, words, "http://127.0.0.1:1/it's/x$(id)&?q="+url.QueryEscape(note))
		require.Contains(rt, words, "Authorization: Bearer secret of the environment")
		field := "X-Note: " + note
		if strings.TrimSpace(note) == "" {
			field = "X-Note;"
		}
		require.Contains(rt, words, field)
		if len(body) == 0 {
			require.NotContains(rt, words, "--data-raw")
			return
		}
		if last := words[len(words)-1]; last != "@-" {
			piped = last
		}
		require.Equal(rt, string(body), piped)
	})
}

// forbiddenTokens is a token source that must not be used: a keyring could prompt the user.
type forbiddenTokens struct{}

func (forbiddenTokens) Token(context.Context) (string, error) { panic("asked for a token") }

func (forbiddenTokens) Renew(context.Context, string) (string, error) { panic("asked to renew") }
