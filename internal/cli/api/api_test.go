package api

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// call runs the command against answers instead of a service.
func call(t *testing.T, tty bool, format string, answer func(Call) (*Answer, error), args ...string) (string, error) {
	t.Helper()
	base, err := url.Parse("https://payments.example/base")
	require.NoError(t, err)
	var out bytes.Buffer
	cmd := New(&Deps{Deps: &invocation.Deps{
		Streams:  &ui.Streams{In: &bytes.Buffer{}, Out: &out, Err: &bytes.Buffer{}, OutTTY: tty, UTF8: true},
		Options:  &invocation.Options{},
		Settings: func() (settings.Settings, error) { return settings.Settings{BaseURL: base, Output: format}, nil },
	}, Call: func(_ context.Context, call Call) (*Answer, error) { return answer(call) }})
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func text(contentType, body string) func(Call) (*Answer, error) {
	return func(Call) (*Answer, error) {
		return &Answer{Status: 200, Header: map[string][]string{"Content-Type": {contentType}}, Body: []byte(body)}, nil
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

func TestCallsStayBelowTheBaseURL(t *testing.T) {
	t.Parallel()
	answer := func(call Call) (*Answer, error) {
		require.Equal(t, "GET /x?y=1", call.Method+" "+call.Path)
		return text("application/json", "{}")(call)
	}
	for _, path := range []string{"x?y=1", "/x?y=1"} {
		_, err := call(t, false, "json", answer, path)
		require.NoError(t, err)
	}
	for _, path := range []string{
		"https://payments.example/base/x", "https://me@payments.example/base/x", "//evil.example/base/x",
	} {
		_, err := call(t, false, "json", answer, path)
		require.ErrorIs(t, err, exit.ErrUsage, path)
	}
}

func TestPagesAreFollowedToTheirEnd(t *testing.T) {
	t.Parallel()
	pages := []string{`{"data":[1,{"a":2.50}],"nextCursor":"c&1"}`, `{"data":[],"nextCursor":"c2"}`, `{"data":[3],"nextCursor":null}`}
	var seen []string
	lost := errors.New("lost")
	answer := func(call Call) (*Answer, error) {
		if seen = append(seen, call.Path); len(seen) > len(pages) {
			return nil, lost
		}
		return text("application/json", pages[len(seen)-1])(call)
	}
	out, err := call(t, false, "ndjson", answer, "/x?limit=2&cursor=c0", "--all")
	require.NoError(t, err)
	require.Equal(t, "1\n{\"a\":2.50}\n3\n", out)
	require.Equal(t, []string{"/x?limit=2&cursor=c0", "/x?cursor=c%261&limit=2", "/x?cursor=c2&limit=2"}, seen)

	// A page that fails leaves the rows before it whole.
	seen, pages = nil, pages[:1]
	out, err = call(t, false, "json", answer, "/x", "--all")
	require.ErrorIs(t, err, lost)
	require.JSONEq(t, `[1,{"a":2.50}]`, out)
	for _, page := range []string{`{"data":[1]}`, `{"data":[1],"nextCursor":""}`, `{"data":[1],"nextCursor":7}`, `{"nextCursor":null}`, `[1]`} {
		_, err = call(t, false, "table", text("application/json", page), "/x", "--all")
		require.ErrorIs(t, err, exit.ErrUsage, page)
	}
	_, err = call(t, false, "ndjson", text("application/json", `{"data":[1],"nextCursor":"same"}`), "/x", "--all")
	require.ErrorContains(t, err, "never end")
}
