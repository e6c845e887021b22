package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

const eventBody = `{"id":"evt_1","type":"kyc.statusChanged","occurredAt":"2026-01-01T09:00:00Z",` +
	`"subjectId":"acc_1","from":null,"to":"pending","data":{}}`

// pour answers with a stream of events. Unless ends is set, it stays open until the client closes the connection.
func pour(w http.ResponseWriter, r *http.Request, text string, ends bool) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	_, _ = io.WriteString(w, text)
	_ = http.NewResponseController(w).Flush()
	if !ends {
		<-r.Context().Done()
	}
}

func TestStreamEvents(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		pour(w, r, "retry: 1500\n:\nid: evt_0\n\nevent: connected\ndata: {\"status\":\"ok\"}\n\n"+
			"event: ping\ndata: 2026-01-01\n\nid: evt_1\nevent: kyc.statusChanged\ndata: "+eventBody+"\n\nid: evt_2\n", true)
	})
	c, _ := connect(t, s.URL)
	var all []payments.EventMessage
	filter := payments.EventFilter{
		After: "evt_0", Types: []payments.EventType{"kyc.statusChanged"}, SubjectID: "acc_1", Limit: 3, Wait: time.Second,
	}
	require.NoError(t, c.StreamEvents(t.Context(), filter, func(m payments.EventMessage) error {
		all = append(all, m)
		return nil
	}))
	require.Len(t, all, 2, "an unfinished message, a greeting and a ping do not count")
	require.Equal(t, payments.EventMessage{Cursor: "evt_0", Retry: 1500 * time.Millisecond}, all[0])
	require.Equal(t, "acc_1", all[1].Event.SubjectID)
	require.Equal(t, "evt_1", all[1].Cursor)
	r := s.request(0)
	require.Equal(t, "after=evt_0&subjectId=acc_1&types=kyc.statusChanged", r.URL.RawQuery)
	require.Equal(t, "evt_0", r.Header.Get("Last-Event-ID"))
	require.True(t, strings.HasPrefix(r.Header.Get("Accept"), "text/event-stream"))
	require.Equal(t, "Bearer "+testToken, r.Header.Get("Authorization"))
	require.Empty(t, r.Header.Get("Prefer"))
}

func TestStreamsThatFail(t *testing.T) {
	t.Parallel()
	event := "id: evt_1\ndata: " + eventBody + "\n\n"
	poured := func(text string, ends bool) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) { pour(w, r, text, ends) }
	}
	answered := func(answer answerFunc) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { answer(w) }
	}
	const unusable = payments.ProblemUnusable
	for name, test := range map[string]struct {
		answer      func(http.ResponseWriter, *http.Request)
		kind        payments.ProblemType
		unsupported bool
	}{
		"gone":             {answered(problem(http.StatusGone, payments.ProblemGone)), payments.ProblemGone, false},
		"not acceptable":   {answered(problem(406, payments.ProblemNotAcceptable)), payments.ProblemNotAcceptable, true},
		"another type":     {answered(useless), unusable, true},
		"a failure":        {answered(page(http.StatusBadGateway)), unusable, false},
		"no answer":        {answered(hangUp), unusable, false},
		"an event of none": {poured(event+"id: evt_2\ndata: {}\n\n", false), unusable, false},
		"no JSON":          {poured(event+"id: evt_2\ndata: nope\n\n", false), unusable, false},
		"no end of a line": {poured(event+strings.Repeat("a", maxMessage+1), false), unusable, false},
		"silence":          {poured(event, false), unusable, false},
		"a cut": {func(w http.ResponseWriter, r *http.Request) {
			pour(w, r, event, true)
			hangUp(w)
		}, unusable, false},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		}, payments.ProblemMoved, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { test.answer(w, r) })
			c, _ := connect(t, s.URL, func(config *Config) { config.StreamSilence = 50 * time.Millisecond })
			err := c.StreamEvents(t.Context(), payments.EventFilter{}, func(payments.EventMessage) error { return nil })
			require.Equal(t, test.kind, kindOf(t, err), "%v", err)
			require.Equal(t, test.unsupported, errors.Is(err, errors.ErrUnsupported))
			require.NotContains(t, err.Error(), testToken)
			require.Equal(t, 1, s.count(), "the caller opens it again")
		})
	}
}

func TestStreamThatDoesNotBegin(t *testing.T) {
	t.Parallel()
	s := serve(t, func(_ http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done() })
	c, _ := connect(t, s.URL, func(config *Config) { config.Timeout = 20 * time.Millisecond })
	err := c.StreamEvents(t.Context(), payments.EventFilter{}, nil)
	require.Equal(t, payments.ProblemTimeout, kindOf(t, err))
	c, _ = connect(t, deadURL)
	err = c.StreamEvents(t.Context(), payments.EventFilter{}, nil)
	require.Equal(t, payments.ProblemUnreachable, kindOf(t, err))
	problem, _ := errors.AsType[*payments.ProblemError](err)
	require.Regexp(t, `^[^:(]*refused[^:(]*$`, problem.Reason, "the cause comes first, so that a narrow screen shows it")
}

func TestStreamEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { pour(w, r, "id: evt_1\n\n", false) })
	c, _ := connect(t, s.URL)
	enough := errors.New("enough")
	err := c.StreamEvents(t.Context(), payments.EventFilter{}, func(payments.EventMessage) error { return enough })
	require.Equal(t, enough, err)
	ctx, cancel := context.WithCancel(t.Context())
	err = c.StreamEvents(ctx, payments.EventFilter{}, func(payments.EventMessage) error {
		cancel()
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
}

func TestStreamRenewsItsToken(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n == 1 {
			expecting("another")(w, r, n)
			return
		}
		pour(w, r, "id: evt_1\n\n", true)
	})
	source := &renewable{token: testToken}
	c, _ := connect(t, s.URL, using(source))
	count := 0
	require.NoError(t, c.StreamEvents(t.Context(), payments.EventFilter{}, func(payments.EventMessage) error {
		count++
		return nil
	}))
	require.Equal(t, 1, count)
	require.Equal(t, []string{testToken}, source.renewed)
	require.Equal(t, "Bearer fresh-token", s.request(1).Header.Get("Authorization"))
}

// shown is a message with its data as text.
type shown struct {
	id, data string
	retry    time.Duration
}

// readAll returns the messages of a stream and the error that ended it.
func readAll(stream io.Reader) (all []shown, err error) {
	err = readMessages(stream, func() {}, func(m message) error {
		all = append(all, shown{m.id, string(m.data), m.retry})
		return nil
	})
	return all, err
}

func TestReadMessages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stream   string
		expected []shown
	}{
		"one":                        {"id: 1\nevent: a\ndata: {}\n\n", []shown{{"1", "{}", 0}}},
		"two":                        {"id:1\ndata:a\n\nid:2\ndata:b\n\n", []shown{{"1", "a", 0}, {"2", "b", 0}}},
		"lines of data":              {"data: a\ndata:  b\ndata\ndata: c\n\n", []shown{{"", "a\n b\n\nc", 0}}},
		"CR LF":                      {"id: 1\r\ndata: a\r\n\r\n", []shown{{"1", "a", 0}}},
		"mixed":                      {"data: a\r\ndata: b\n\r\ndata: c\r\n\n", []shown{{"", "a\nb", 0}, {"", "c", 0}}},
		"comments":                   {": hello\n\n:\n:\n\ndata: a\n:x\n\n", []shown{{"", "a", 0}}},
		"only an id":                 {":\nid: 7\n\n", []shown{{"7", "", 0}}},
		"a retry":                    {"retry: 2000\n\n", []shown{{"", "", 2 * time.Second}}},
		"no retry":                   {"retry: 2s\nretry: +1\nretry: -1\nretry:\nretry: 99999999999999999999\n\n", nil},
		"an id that is none":         {"id: a\x00b\n\nid: a b\n\nid\n\nid: ü\n\n", nil},
		"unknown fields":             {"ID: 1\ndata : a\nfoo: b\nfoo\n\n", nil},
		"an end in the middle":       {"data: a\n\ndata: b\n", []shown{{"", "a", 0}}},
		"an end in a line":           {"data: a\n\ndata", []shown{{"", "a", 0}}},
		"nothing":                    {"", nil},
		"empty lines":                {"\n\n\r\n\r\n", nil},
		"an id does not go on":       {"id: 1\ndata: a\n\ndata: b\n\n", []shown{{"1", "a", 0}, {"", "b", 0}}},
		"the last id of two":         {"id: 1\nid: 2\ndata: a\n\n", []shown{{"2", "a", 0}}},
		"a value that has its colon": {"data:a:b\n\n", []shown{{"", "a:b", 0}}},
	} {
		all, err := readAll(strings.NewReader(test.stream))
		require.ErrorIs(t, err, io.EOF, name)
		require.Equal(t, test.expected, all, name)
		bytewise, err := readAll(iotest.OneByteReader(strings.NewReader(test.stream)))
		require.ErrorIs(t, err, io.EOF, name)
		require.Equal(t, all, bytewise, name)
	}
}

func TestMessagesAreBounded(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string]string{
		"a line without an end":    "data: " + strings.Repeat("a", maxMessage+1),
		"a line":                   strings.Repeat("a", maxMessage+1) + "\n\n",
		"a message without an end": strings.Repeat("data: "+strings.Repeat("a", 1000)+"\n", maxMessage/1000),
		"comments without an end":  strings.Repeat(":"+strings.Repeat("a", 1000)+"\n", maxMessage/1000+1),
	} {
		_, err := readAll(strings.NewReader(stream))
		require.ErrorIs(t, err, errMessageTooLarge, name)
	}
	all, err := readAll(strings.NewReader(strings.Repeat("data: "+strings.Repeat("a", 1000)+"\n\n", 2*maxMessage/1000)))
	require.ErrorIs(t, err, io.EOF)
	require.Len(t, all, 2*maxMessage/1000)
}
