package api

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// bench runs the command against answers instead of a service.
type bench struct {
	tty    bool
	format string
	answer func(cmdutil.Call) (*cmdutil.Answer, error)

	calls []cmdutil.Call
	out   bytes.Buffer
}

func (b *bench) run(t *testing.T, args ...string) error {
	t.Helper()
	base, err := url.Parse("https://payments.example/base")
	require.NoError(t, err)
	format := b.format
	if format == "" {
		format = "table"
	}
	b.out.Reset()
	d := &cmdutil.Deps{
		Streams:  &ui.Streams{In: &bytes.Buffer{}, Out: &b.out, Err: &bytes.Buffer{}, OutTTY: b.tty, UTF8: true},
		Options:  &cmdutil.Options{},
		Settings: func() (settings.Settings, error) { return settings.Settings{BaseURL: base, Output: format}, nil },
		Call: func(_ context.Context, call cmdutil.Call) (*cmdutil.Answer, error) {
			b.calls = append(b.calls, call)
			return b.answer(call)
		},
	}
	cmd := New(d)
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	return cmd.ExecuteContext(t.Context())
}

func text(contentType, body string) func(cmdutil.Call) (*cmdutil.Answer, error) {
	return func(cmdutil.Call) (*cmdutil.Answer, error) {
		header := map[string][]string{"Content-Type": {contentType}, "X-Note": {"a\x1b[2Jb"}}
		return &cmdutil.Answer{Line: "HTTP/1.1 200 OK\x07", Status: 200, Header: header, Body: []byte(body)}, nil
	}
}

func TestWhatIsForeignDoesNothingToATerminal(t *testing.T) {
	t.Parallel()
	b := &bench{tty: true, answer: text("text/plain", "one\x1b]0;x\x07\r\ntwo\u202e")}
	require.NoError(t, b.run(t, "/x", "-i"))
	require.Equal(t, "HTTP/1.1 200 OK\\x07\nContent-Type: text/plain\nX-Note: a\\x1b[2Jb\n\none\\x1b]0;x\\x07\ntwo\\u202e\n", b.out.String())
	b = &bench{tty: true, answer: text("application/json", `{"a":"`+"\u202e"+`","n":1.10}`)}
	require.NoError(t, b.run(t, "/x"))
	require.Equal(t, "{\n  \"a\": \"\\u202e\",\n  \"n\": 1.10\n}\n", b.out.String())
	// A program gets the bytes that were sent.
	b = &bench{answer: text("application/octet-stream", "\x00\xff\r\n")}
	require.NoError(t, b.run(t, "/x"))
	require.Equal(t, "\x00\xff\r\n", b.out.String())
}

func TestAnswersHaveTheFormThatIsAskedFor(t *testing.T) {
	t.Parallel()
	b := &bench{format: "json", answer: text("text/plain", "hello")}
	require.NoError(t, b.run(t, "/x"))
	require.Equal(t, "\"hello\"\n", b.out.String())
	b.answer = text("application/octet-stream", "\xff")
	require.ErrorContains(t, b.run(t, "/x"), "neither JSON nor text")
	require.Empty(t, b.out.String())
	b.answer = text("application/problem+json", `{"n":12345678901234567890.10}`)
	require.NoError(t, b.run(t, "/x", "-q", ".n"))
	require.Equal(t, "12345678901234567890.10\n", b.out.String())

	asked := len(b.calls)
	b.format = "csv"
	require.ErrorIs(t, b.run(t, "/x"), cmdutil.ErrUsage)
	b.format = "json"
	require.Error(t, b.run(t, "/x", "-q", ".["))
	require.Len(t, b.calls, asked, "a form that cannot be is refused before anything is sent")
}

func TestEveryCallThatMayWriteHasAKey(t *testing.T) {
	t.Parallel()
	b := &bench{answer: text("application/json", "{}")}
	require.NoError(t, b.run(t, "POST", "/x"))
	require.NoError(t, b.run(t, "POST", "/x"))
	require.NotEmpty(t, b.calls[0].Key)
	require.NotEqual(t, b.calls[0].Key, b.calls[1].Key)
	require.NoError(t, b.run(t, "POST", "/x", "--idempotency-key", "mine"))
	require.Equal(t, []string{"mine"}, b.calls[2].Header["Idempotency-Key"])
}

func TestMethodsAndPlacesOfFields(t *testing.T) {
	t.Parallel()
	b := &bench{answer: text("application/json", "{}")}
	require.NoError(t, b.run(t, "x?y=1"))
	require.NoError(t, b.run(t, "https://PAYMENTS.example:443/base/x?y=1"))
	for _, call := range b.calls {
		require.Equal(t, "GET /x?y=1", call.Method+" "+call.Path)
	}
	require.NoError(t, b.run(t, "/x", "-f", "a=b"))
	require.NoError(t, b.run(t, "get", "/x", "-F", "a[]=1", "-f", "a[]=b"))
	require.NoError(t, b.run(t, "/x", "-f", "a=b", "--input", "-"))
	require.Equal(t, "POST", b.calls[2].Method)
	require.JSONEq(t, `{"a":"b"}`, string(b.calls[2].Body))
	require.Equal(t, map[string][]string{"a": {"1", "b"}}, b.calls[3].Query)
	require.Equal(t, "POST", b.calls[4].Method)
	require.Equal(t, map[string][]string{"a": {"b"}}, b.calls[4].Query)
	require.Empty(t, b.calls[4].Body)
	asked := len(b.calls)
	for _, args := range [][]string{
		{"https://payments.example/other/x"}, {"https://payments.example/basement"}, {"https://me@payments.example/base/x"},
		{"http://payments.example/base/x"}, {"https://payments.example:444/base/x"}, {"//evil.example/base/x"}, {"get", "/x", "-f", "a[b]=c"},
	} {
		require.ErrorIs(t, b.run(t, args...), cmdutil.ErrUsage, args)
	}
	require.Len(t, b.calls, asked)
}

func TestPagesAreFollowedToTheirEnd(t *testing.T) {
	t.Parallel()
	pages := []string{`{"data":[1,{"a":2.50}],"nextCursor":"c&1"}`, `{"data":[],"nextCursor":"c2"}`, `{"data":[3],"nextCursor":null}`}
	var seen []string
	b := &bench{format: "ndjson"}
	b.answer = func(call cmdutil.Call) (*cmdutil.Answer, error) {
		seen = append(seen, call.Path)
		return text("application/json", pages[len(seen)-1])(call)
	}
	require.NoError(t, b.run(t, "/x?limit=2&cursor=c0", "--paginate"))
	require.Equal(t, "1\n{\"a\":2.50}\n3\n", b.out.String())
	require.Equal(t, []string{"/x?limit=2&cursor=c0", "/x?cursor=c%261&limit=2", "/x?cursor=c2&limit=2"}, seen)

	// A page that fails leaves the rows before it whole.
	lost := errors.New("lost")
	b = &bench{format: "json"}
	b.answer = func(call cmdutil.Call) (*cmdutil.Answer, error) {
		if len(b.calls) > 1 {
			return nil, lost
		}
		return text("application/json", pages[0])(call)
	}
	require.ErrorIs(t, b.run(t, "/x", "--paginate"), lost)
	require.JSONEq(t, `[1,{"a":2.50}]`, b.out.String())

	for _, page := range []string{`{"data":[1]}`, `{"data":[1],"nextCursor":""}`, `{"data":[1],"nextCursor":7}`, `{"nextCursor":null}`, `[1]`, `{"data":{},"nextCursor":null}`} {
		b = &bench{answer: text("application/json", page)}
		require.ErrorIs(t, b.run(t, "/x", "--paginate"), cmdutil.ErrUsage, page)
	}
	b = &bench{format: "ndjson", answer: text("application/json", `{"data":[1],"nextCursor":"same"}`)}
	require.ErrorContains(t, b.run(t, "/x", "--paginate"), "never end")
	require.Len(t, b.calls, 2)
}

func TestErrorAnswersThatSayMoreThanAProblemDocument(t *testing.T) {
	t.Parallel()
	plain := &payments.ProblemError{Problem: payments.Problem{Status: 404}}
	b := &bench{}
	b.answer = func(call cmdutil.Call) (*cmdutil.Answer, error) {
		answer, _ := text("text/plain", "nothing here")(call)
		return answer, plain
	}
	require.ErrorIs(t, b.run(t, "/x"), plain)
	require.Equal(t, "nothing here", b.out.String())
	b.format = "json"
	require.ErrorIs(t, b.run(t, "/x"), plain)
	require.Empty(t, b.out.String(), "the problem document is to come")
	require.ErrorIs(t, b.run(t, "/x", "-i"), plain)
	require.Contains(t, b.out.String(), `"body": "nothing here"`)
}
