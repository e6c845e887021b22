package server_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
)

const eventsPath = "/events/v1"

func (a *api) events(query string) payments.EventPage {
	a.t.Helper()
	return good[payments.EventPage](a.do("GET", eventsPath+query, ""))
}

func typesOf(events []payments.Event) []payments.EventType {
	kinds := []payments.EventType{}
	for _, e := range events {
		kinds = append(kinds, e.Type)
	}
	return kinds
}

func TestListEvents(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	start := a.events("?after=latest")
	require.Equal(t, start, a.events(""), "there are no events yet")
	a.approved()
	a.saved("base", "USDC")
	all := a.events("?after=" + start.Cursor)
	kinds := []payments.EventType{"account.created", "kyc.statusChanged", "kyc.statusChanged", "contact.created"}
	require.Equal(t, kinds, typesOf(all.Data))
	require.Equal(t, all.Data[3].ID, all.Cursor)
	require.Equal(t, all.Data[1:3], a.events("?after="+all.Data[0].ID+"&limit=2").Data)
	require.Equal(t, all.Data[1:3], a.events("?types=kyc.statusChanged,contact.deleted&types=kyc.statusChanged").Data,
		"each once")
	require.Equal(t, all.Data[1:2], a.events("?limit=1&types=kyc.statusChanged&subjectId="+all.Data[0].SubjectID).Data)
	require.Empty(t, a.as("another").events("?subjectId="+all.Data[0].SubjectID).Data, "a client sees its own world")
	for query, field := range map[string]string{
		"?types=": "types", "?types=account.created,": "types", "?types=a&types=b": "types",
		"?subjectId=": "subjectId", "?subjectId=a&subjectId=b": "subjectId", "?limit=101": "limit",
		"?after=": "after", "?after=now": "after", "?after=" + all.Cursor + "x": "after",
	} {
		problem := requireProblem(t, a.do("GET", eventsPath+query, ""), payments.ProblemValidation)
		require.Equal(t, []string{field}, problem.Errors.Names(), query)
	}
}

func TestEventsByScope(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	a.approved()
	a.saved("sepa", "EUR")
	for scope, expected := range map[string][]payments.EventType{
		"accounts:read":                {"account.created"},
		"kyc:read":                     {"kyc.statusChanged", "kyc.statusChanged"},
		"contacts:read transfers:read": {"contact.created"},
		"transfers:read kyc:write":     {},
	} {
		a.token = a.login(scope)
		require.Equal(t, expected, typesOf(a.events("").Data), scope)
	}
	a.token = a.login("kyc:read")
	refused := a.do("GET", eventsPath+"?types=kyc.statusChanged,transfer.created", "")
	requireProblem(t, refused, payments.ProblemInsufficientScope)
	require.Contains(t, refused.header.Get("WWW-Authenticate"), `scope="transfers:read"`)
	a.token = a.login("transfers:write")
	requireProblem(t, a.do("GET", eventsPath, ""), payments.ProblemInsufficientScope)
}

func TestEventsNegotiation(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for accept, expected := range map[string]string{
		"": "application/json", "*/*": "application/json", "text/event-stream": "text/event-stream",
		"text/*":                               "text/event-stream",
		"application/json;q=0.5, text/*;q=0.6": "text/event-stream", "text/event-stream;q=0, */*;q=0.1": "application/json",
	} {
		answer := a.do("HEAD", eventsPath, "", "Accept", accept, "Prefer", "wait=60")
		require.Equal(t, http.StatusOK, answer.status, accept)
		require.Equal(t, expected, answer.header.Get("Content-Type"), accept)
		require.Equal(t, "Accept", answer.header.Get("Vary"), accept)
	}
	requireProblem(t, a.do("GET", eventsPath, "", "Accept", "text/html"), payments.ProblemNotAcceptable)
	requireProblem(t, a.do("GET", accountsPath, "", "Accept", "text/event-stream"), payments.ProblemNotAcceptable)
	requireProblem(t, a.do("GET", eventsPath+"?after=x", "", "Accept", "text/event-stream"), payments.ProblemValidation)
}

// A stream is an open stream of events.
type stream struct {
	t     testing.TB
	lines *bufio.Scanner
	end   func()
}

func (a *api) stream(query string, headers ...string) *stream {
	a.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := must(http.NewRequestWithContext(ctx, "GET", a.URL+eventsPath+query, nil))
	r.Header.Set("Authorization", "Bearer "+a.token)
	r.Header.Set("Accept", "text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response := must(a.http.Transport.RoundTrip(r))
	require.Equal(a.t, http.StatusOK, response.StatusCode)
	end := func() {
		cancel()
		_ = response.Body.Close()
	}
	a.t.Cleanup(end)
	return &stream{a.t, bufio.NewScanner(response.Body), end}
}

// next returns the next message. Nil means the end of the stream.
func (s *stream) next() map[string]string {
	s.t.Helper()
	message := map[string]string{}
	for s.lines.Scan() {
		if s.lines.Text() == "" {
			return message
		}
		name, value, _ := strings.Cut(s.lines.Text(), ":")
		message[name] = strings.TrimPrefix(value, " ")
	}
	require.NoError(s.t, s.lines.Err())
	require.Empty(s.t, message, "the stream ends after a message")
	return nil
}

func TestStreamOfEvents(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	a.approved()
	all := a.events("")
	s := a.stream("")
	for i, expected := range all.Data {
		message := s.next()
		require.Equal(t, i == 0, message["retry"] == "2000")
		require.Equal(t, string(expected.Type), message["event"])
		var event payments.Event
		require.NoError(t, json.Unmarshal([]byte(message["data"]), &event))
		require.Equal(t, expected, event)
		require.Equal(t, expected.ID, message["id"])
	}
	latest := a.stream("?after=latest&types=contact.created")
	opening := latest.next()
	require.Equal(t, all.Cursor, opening["id"], "a stream says where it begins")
	require.NotContains(t, opening, "data")
	account := a.stream("?types=contact.created,account.created&subjectId=" + all.Data[0].SubjectID)
	require.Equal(t, all.Data[0].ID, account.next()["id"])
	resumed := a.stream("?after=latest", "Last-Event-ID", all.Data[0].ID)
	require.Equal(t, all.Data[1].ID, resumed.next()["id"])
	a.saved("base", "USDC")
	require.Equal(t, "contact.created", s.next()["event"])
	require.Equal(t, "contact.created", latest.next()["event"])
	s.end()
	a.reset()
	require.Equal(t, map[string]string{"retry": "1"}, latest.next(), "a stream of a world that was reset ends")
	require.Nil(t, latest.next())
	for _, accept := range []string{"application/json", "text/event-stream"} {
		old := a.do("GET", eventsPath+"?after="+all.Cursor, "", "Accept", accept)
		requireProblem(t, old, payments.ProblemGone)
	}
}

// A stream ends when its token is revoked, before it sends another event, or when the service stops.
func TestEndsOfAStream(t *testing.T) {
	t.Parallel()
	a, stop := unchecked(t, refserver.Config{})
	revoked := a.stream("?after=latest")
	require.NotContains(t, revoked.next(), "data")
	again := *a
	again.token = a.login("")
	require.Equal(t, http.StatusNoContent, a.do("DELETE", tokenPath, "").status)
	require.Equal(t, http.StatusCreated, again.do("POST", accountsPath, adaBody).status)
	require.Nil(t, revoked.next())
	s := again.stream("?after=latest")
	require.NotEmpty(t, s.next()["id"])
	stop()
	require.Nil(t, s.next())
}

// A held response reveals nothing if its token was revoked in the meantime.
func TestHeldAnswersEndWithTheirToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := within(t, refserver.Config{KYCDelay: 10 * time.Second})
		short := *a
		short.token = a.login("")
		check := "/accounts/" + good[payments.Account](a.do("POST", accountsPath, adaBody)).ID + "/kyc/v1"
		tag := a.do("GET", check, "").header.Get("ETag")
		answers := make(chan *answer)
		for path, known := range map[string]string{check: tag, eventsPath + "?after=latest": ""} {
			go func() { answers <- short.do("GET", path, "", "If-None-Match", known, "Prefer", "wait=60") }()
		}
		synctest.Wait()
		require.Equal(t, http.StatusNoContent, short.do("DELETE", tokenPath, "").status)
		for range 2 {
			answer := <-answers
			require.Equal(t, http.StatusUnauthorized, answer.status, answer)
			require.Contains(t, answer.header.Get("WWW-Authenticate"), "invalid_token")
		}
	})
}

// In a synctest bubble, a minute takes no time.
func TestStreamBeatsUntilItsTokenExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := within(t, refserver.Config{TokenLifetime: 40 * time.Second})
		start := time.Now()
		answer := a.do("GET", eventsPath, "", "Accept", "text/event-stream")
		require.Equal(t, 45*time.Second, time.Since(start), "it ends at the first heartbeat that finds the token expired")
		messages := strings.Split(strings.TrimSuffix(answer.body, "\n\n"), "\n\n")
		require.Len(t, messages, 3)
		cursor := strings.TrimPrefix(messages[0], "retry: 2000\n:\n")
		require.Equal(t, []string{":\n" + cursor, ":\n" + cursor}, messages[1:])
		require.Regexp(t, `^id: evt_[0-9a-v]{26}$`, cursor)
	})
}
