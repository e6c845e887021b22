package cli

import (
	"bytes"
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// call runs the command against answers instead of a service.
func call(t *testing.T, tty bool, format string, answer func(effect.Request) (*payments.Response, error), args ...string) (string, error) {
	t.Helper()
	base, err := url.Parse("https://payments.example/base")
	require.NoError(t, err)
	var out bytes.Buffer
	cmd := newAPI(&cmdutil.Deps{
		Streams:  &ui.Streams{In: &bytes.Buffer{}, Out: &out, Err: &bytes.Buffer{}, OutTTY: tty, UTF8: true},
		Options:  &cmdutil.Options{},
		Settings: func() (settings.Settings, error) { return settings.Settings{BaseURL: base, Output: format}, nil },
		Connect: func(cmdutil.Calls) (*outbox.Outbox, error) {
			return outbox.New(service{answer: answer}, nil, outbox.Options{Now: time.Now}), nil
		},
	})
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// A service answers calls that change nothing.
type service struct {
	outbox.Client
	answer func(effect.Request) (*payments.Response, error)
}

func (service) Writes(string, string) bool                     { return false }
func (service) Meaning(effect.Request) (effect.Request, error) { return effect.Request{}, nil }

func (s service) Send(_ context.Context, request effect.Request) effect.Result {
	response, err := s.answer(request)
	return effect.Result{Outcome: effect.Done, Response: response, Err: err}
}

func text(contentType, body string) func(effect.Request) (*payments.Response, error) {
	return func(effect.Request) (*payments.Response, error) {
		return &payments.Response{Status: 200, Header: map[string][]string{"Content-Type": {contentType}}, Body: []byte(body)}, nil
	}
}

func TestAnswersAreHarmlessOnATerminalAndExactForAProgram(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tty                             bool
		format, contentType, body, want string
	}{
		{true, "table", "text/plain", "one\x1b]0;x\x07\r\ntwo\u202e", "one\\x1b]0;x\\x07\ntwo\\u202e\n"},
		{true, "table", "application/json", "{\"a\":\"\u202e\",\"n\":1.10}", "{\n  \"a\": \"\\u202e\",\n  \"n\": 1.10\n}\n"},
		{false, "table", "application/octet-stream", "\x00\xff\r\n", "\x00\xff\r\n"},
		{false, "json", "text/plain", "hello", "\"hello\"\n"},
		{false, "ndjson", "application/problem+json", `{"n":12345678901234567890.10}`, "{\"n\":12345678901234567890.10}\n"},
	} {
		out, err := call(t, c.tty, c.format, text(c.contentType, c.body), "/x")
		require.NoError(t, err)
		require.Equal(t, c.want, out)
	}
	_, err := call(t, false, "json", text("application/octet-stream", "\xff"), "/x")
	require.ErrorContains(t, err, "neither JSON nor text")
}
