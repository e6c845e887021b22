package server_test

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

const eventsPath = "/events/v1"

func (a *api) events(query string) payments.EventPage {
	a.t.Helper()
	answer := a.do("GET", eventsPath+query, "")
	require.Equal(a.t, http.StatusOK, answer.status, answer)
	require.Equal(a.t, "Accept", answer.header.Get("Vary"))
	require.Equal(a.t, "no-store", answer.header.Get("Cache-Control"))
	return decode[payments.EventPage](answer)
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
	require.Empty(t, start.Data)
	require.Equal(t, start, a.events(""), "the beginning is the end")
	a.approved()
	a.saved("base", "USDC")
	all := a.events("?after=" + start.Cursor)
	require.Equal(t, []payments.EventType{"account.created", "kyc.statusChanged", "kyc.statusChanged", "contact.created"}, typesOf(all.Data))
	require.Equal(t, all.Data[3].ID, all.Cursor)
	require.Equal(t, all.Data[1:3], a.events("?after="+all.Data[0].ID+"&limit=2").Data)
	kyc := a.events("?types=kyc.statusChanged,contact.deleted")
	require.Equal(t, all.Data[1:3], kyc.Data)
	require.Equal(t, all.Cursor, kyc.Cursor)
	contact := a.events("?subjectId=" + all.Data[3].SubjectID)
	require.Equal(t, all.Data[3:], contact.Data)
	require.Equal(t, all.Data[1:2], a.events("?limit=1&types=kyc.statusChanged&subjectId="+all.Data[0].SubjectID).Data)
	require.Equal(t, payments.EventPage{Data: []payments.Event{}, Cursor: all.Cursor}, a.events("?subjectId=acc_none"))
	require.Empty(t, a.as("another").events("?subjectId="+all.Data[0].SubjectID).Data, "a client sees its own world")
	for query, field := range map[string]string{
		"?types=":                        "types",
		"?types=kyc":                     "types",
		"?types=account.created,":        "types",
		"?types=account.created,x,y":     "types",
		"?types=a&types=b":               "types",
		"?subjectId=":                    "subjectId",
		"?subjectId=a&subjectId=b":       "subjectId",
		"?limit=0":                       "limit",
		"?limit=101":                     "limit",
		"?after=":                        "after",
		"?after=now":                     "after",
		"?after=" + all.Cursor + "x":     "after",
		"?after=evt_zzzzzzzzzzzzzzzzzzz": "after",
	} {
		answer := a.do("GET", eventsPath+query, "")
		problem := requireProblem(t, answer, payments.KindValidation)
		require.Len(t, problem.Errors[field], 1, query)
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
	require.Len(t, a.events("?types=kyc.statusChanged").Data, 2)
	refused := a.do("GET", eventsPath+"?types=kyc.statusChanged,transfer.created", "")
	requireProblem(t, refused, payments.KindInsufficientScope)
	require.Contains(t, refused.header.Get("WWW-Authenticate"), `scope="transfers:read"`)
	a.token = a.login("transfers:write")
	refused = a.do("GET", eventsPath, "")
	requireProblem(t, refused, payments.KindInsufficientScope)
	require.Contains(t, refused.header.Get("WWW-Authenticate"), `error="insufficient_scope"`)
}

func TestEventsOfAnotherInstance(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	a.approved()
	old := a.events("").Data[0].ID
	require.Equal(t, http.StatusOK, a.do("POST", "/sandbox/reset/v1", "").status)
	requireProblem(t, a.do("GET", eventsPath+"?after="+old, ""), payments.KindGone)
	requireProblem(t, a.do("GET", eventsPath, "", "Accept", "text/event-stream", "Last-Event-ID", old), payments.KindGone)
	require.Empty(t, a.events("").Data)
	other := run(t, refserver.Config{})
	requireProblem(t, other.do("GET", eventsPath+"?after="+old, ""), payments.KindGone)
	seed := new(uint64)
	first := run(t, refserver.Config{Seed: seed})
	first.approved()
	old = first.events("").Data[0].ID
	require.Equal(t, http.StatusOK, first.do("POST", "/sandbox/reset/v1", "").status)
	first.approved()
	requireProblem(t, first.do("GET", eventsPath+"?after="+old, ""), payments.KindGone)
}

func TestEventsNegotiation(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for accept, expected := range map[string]string{
		"":                                     "application/json",
		"*/*":                                  "application/json",
		"application/*":                        "application/json",
		"text/event-stream":                    "text/event-stream",
		"text/*":                               "text/event-stream",
		"application/json;q=0.5, text/*;q=0.6": "text/event-stream",
		"text/event-stream;q=0.5, */*":         "application/json",
		"text/event-stream;q=0, */*;q=0.1":     "application/json",
	} {
		answer := a.do("HEAD", eventsPath, "", "Accept", accept, "Prefer", "wait=60")
		require.Equal(t, http.StatusOK, answer.status, accept)
		require.Equal(t, expected, answer.header.Get("Content-Type"), accept)
		require.Equal(t, "Accept", answer.header.Get("Vary"), accept)
	}
	requireProblem(t, a.do("GET", eventsPath, "", "Accept", "text/html"), payments.KindNotAcceptable)
	requireProblem(t, a.do("GET", accountsPath, "", "Accept", "text/event-stream"), payments.KindNotAcceptable)
	requireProblem(t, a.do("GET", eventsPath+"?after=x", "", "Accept", "text/event-stream"), payments.KindValidation)
}

func TestHeldEvents(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	answer := a.do("POST", accountsPath, adaBody)
	require.Equal(t, http.StatusCreated, answer.status)
	done := make(chan payments.EventPage)
	before := a.events("?after=latest")
	go func() {
		defer close(done)
		r, err := http.NewRequestWithContext(t.Context(), "GET", a.URL+eventsPath+"?after="+before.Cursor, nil)
		if err != nil {
			return
		}
		r.Header.Set("Authorization", "Bearer "+a.token)
		r.Header.Set("Prefer", "wait=60")
		response, err := a.http.Do(r)
		if err != nil {
			return
		}
		defer response.Body.Close()
		var page payments.EventPage
		if json.UnmarshalRead(response.Body, &page) == nil && response.Header.Get("Preference-Applied") == "wait=60" {
			done <- page
		}
	}()
	a.Advance(t, time.Minute)
	page := <-done
	require.Equal(t, []payments.EventType{"kyc.statusChanged"}, typesOf(page.Data))
}

// A stream is a stream of events as it comes.
type stream struct {
	t     testing.TB
	lines *bufio.Scanner
	end   func()
}

func (a *api) stream(query string, headers ...string) *stream {
	a.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, "GET", a.URL+eventsPath+query, nil)
	require.NoError(a.t, err)
	r.Header.Set("Authorization", "Bearer "+a.token)
	r.Header.Set("Accept", "text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := a.http.Transport.RoundTrip(r)
	require.NoError(a.t, err)
	require.Equal(a.t, http.StatusOK, response.StatusCode)
	require.Equal(a.t, "text/event-stream", response.Header.Get("Content-Type"))
	end := func() {
		cancel()
		_ = response.Body.Close()
	}
	a.t.Cleanup(end)
	return &stream{a.t, bufio.NewScanner(response.Body), end}
}

// next is the next message; nil at the end of the stream.
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
	require.Empty(s.t, message, "the stream ends behind a message")
	return nil
}

func TestStreamOfEvents(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	a.approved()
	all := a.events("")
	s := a.stream("")
	first := s.next()
	require.Equal(t, "2000", first["retry"])
	require.Equal(t, all.Data[0].ID, first["id"])
	require.Equal(t, "account.created", first["event"])
	for _, expected := range all.Data[1:] {
		message := s.next()
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

	require.Equal(t, http.StatusOK, a.do("POST", "/sandbox/reset/v1", "").status)
	require.Nil(t, latest.next(), "a stream of a world that was reset ends")
}

// A stream that is never silent ends with its token as well, before it sends another event.
func TestStreamEndsWithItsToken(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	s := a.stream("?after=latest")
	require.NotContains(t, s.next(), "data")
	again := *a
	again.token = a.do("POST", tokenPath, "", "Authorization", basic(paytest.ClientID, paytest.ClientSecret)).member("access_token").(string)
	require.Equal(t, http.StatusNoContent, a.do("DELETE", tokenPath, "").status)
	require.Equal(t, http.StatusCreated, again.do("POST", accountsPath, adaBody).status)
	require.Nil(t, s.next())
}

// A response that was held for a token that was revoked meanwhile reveals nothing.
func TestHeldAnswersEndWithTheirToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ask := within(t, refserver.Config{TokenLifetime: time.Hour, KYCDelay: 10 * time.Second, ManualDeposits: true})
		authorization := bearer(t, ask)
		var account payments.Account
		require.NoError(t, json.Unmarshal(ask("POST", accountsPath, adaBody).Body.Bytes(), &account))
		check := "/accounts/" + account.ID + "/kyc/v1"
		tag := ask("GET", check, "").Header().Get("ETag")
		var latest payments.EventPage
		require.NoError(t, json.Unmarshal(ask("GET", eventsPath+"?after=latest", "").Body.Bytes(), &latest))
		answers := make(chan *httptest.ResponseRecorder)
		for path, known := range map[string]string{check: tag, eventsPath + "?after=" + latest.Cursor: ""} {
			go func() {
				answers <- ask("GET", path, "", "If-None-Match", known, "Prefer", "wait=60", "Authorization", authorization)
			}()
		}
		synctest.Wait()
		require.Equal(t, http.StatusNoContent, ask("DELETE", tokenPath, "", "Authorization", authorization).Code)
		for range 2 {
			answer := <-answers
			require.Equal(t, http.StatusUnauthorized, answer.Code, answer.Body)
			require.Contains(t, answer.Header().Get("WWW-Authenticate"), "invalid_token")
			require.Empty(t, answer.Header().Get("Preference-Applied"))
		}
	})
}

func TestStreamEndsCleanlyAtShutdown(t *testing.T) {
	t.Parallel()
	service, err := refserver.New(refserver.Config{})
	require.NoError(t, err)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- service.Serve(ctx, listener, nil) }()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	a := &api{Service: &paytest.Service{Server: service, URL: "http://" + listener.Addr().String()}, t: t, http: &http.Client{Transport: transport}}
	a.token = a.login("")
	s := a.stream("")
	require.NotEmpty(t, s.next()["id"])
	stop()
	require.Nil(t, s.next())
	require.NoError(t, <-done)
	require.NoError(t, service.Close())
}

// In a bubble of synctest a minute takes no time.
func TestStreamBeatsUntilItsTokenExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		serve := within(t, refserver.Config{TokenLifetime: 40 * time.Second})
		start := time.Now()
		w := serve("GET", eventsPath, "", "Accept", "text/event-stream")
		require.Equal(t, 45*time.Second, time.Since(start), "it ends at the first heartbeat that finds the token expired")
		require.True(t, w.Flushed)
		messages := strings.Split(strings.TrimSuffix(w.Body.String(), "\n\n"), "\n\n")
		require.Len(t, messages, 3)
		cursor := strings.TrimPrefix(messages[0], "retry: 2000\n:\n")
		require.Equal(t, []string{":\n" + cursor, ":\n" + cursor}, messages[1:])
		require.Regexp(t, `^id: evt_[0-9a-v]{26}$`, cursor)
	})
}
