package client

import (
	"context"
	"net/http"
	"net/url"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
)

// showing returns a client that shows its calls, and the lines that it showed. Its token source must not be asked.
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

func TestCallsAreShownInPlaceOfBeingSent(t *testing.T) {
	t.Parallel()
	c, lines := showing(t, "http://127.0.0.1:1/api")
	_, err := c.CreateAutoTransfer(t.Context(), payments.NewAutoTransfer{Route: "a:X->b:Y"}, payments.Idempotency{Key: "k1"})
	require.ErrorIs(t, err, ErrNotSent)
	require.Contains(t, (*lines)[0], `"Authorization: Bearer $PAYCTL_TOKEN"`)
	require.Contains(t, (*lines)[0], "Idempotency-Key: k1")
	_, err = c.GetKYCStatus(t.Context(), "acc_1", payments.ReadOptions{ETag: `"e"`, Wait: time.Minute})
	require.ErrorIs(t, err, ErrNotSent)
	require.Contains(t, (*lines)[1], `'If-None-Match: "e"'`)
	require.Contains(t, (*lines)[1], `'Prefer: wait=60'`)
	_, err = c.CreateAccessToken(t.Context(), "me", "hush", payments.AccessTokenRequest{})
	require.ErrorIs(t, err, ErrNotSent)
	require.Contains(t, (*lines)[2], `--user "$PAYCTL_CLIENT_ID:$PAYCTL_CLIENT_SECRET"`)
	require.NotContains(t, (*lines)[2], "hush")
	require.NotContains(t, (*lines)[2], "Basic")
	require.ErrorIs(t, c.RevokeAccessToken(t.Context(), "tok_secret"), ErrNotSent)
	require.NotContains(t, (*lines)[3], "tok_secret")
	_, err = c.AdvanceSandboxClock(t.Context(), payments.SandboxAdvance{Duration: "1s"}, payments.Idempotency{})
	require.ErrorIs(t, err, ErrNotSent)
	require.Contains(t, (*lines)[4], "/sandbox/clock/advance/v1", "no call goes before to find out what service it is")
	err = c.StreamEvents(t.Context(), payments.EventFilter{}, func(payments.EventMessage) error { return nil })
	require.ErrorIs(t, err, ErrNotSent)
	require.Contains(t, (*lines)[5], "text/event-stream")
	_, err = c.Do(t.Context(), http.MethodHead, "/a[b]", nil, nil, nil)
	require.ErrorIs(t, err, ErrNotSent)
	require.Regexp(t, `^curl --head --globoff 'http://127.0.0.1:1/api/a\[b\]' `, (*lines)[6])
}

// TestCommandLineSurvivesTheShellProperty lets a shell read command lines, with a function in place of curl that
// prints its arguments.
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
		require.Contains(rt, words, "X-Note: "+note)
		if len(body) == 0 {
			require.NotContains(rt, words, "--data-binary")
			return
		}
		if last := words[len(words)-1]; last != "@-" {
			piped = last
		}
		require.Equal(rt, string(body), piped)
	})
}

// forbiddenTokens is a token source that must not be asked: a keyring would ask its owner.
type forbiddenTokens struct{}

func (forbiddenTokens) Token(context.Context) (string, error) { panic("asked for a token") }

func (forbiddenTokens) Renew(context.Context, string) (string, error) { panic("asked to renew") }
