package server_test

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

const (
	tokenPath    = "/identity/auth/tokens/current/v1"
	infoPath     = "/transfers/info/v1"
	autoPath     = "/transfers/auto/v1"
	accountsPath = "/accounts/v1"
	contactsPath = "/contacts/saved/v1"
)

// api is a running reference service as a client sees it that holds every answer to the contract.
type api struct {
	*paytest.Service
	t     testing.TB
	token string // sent with every request unless a header says otherwise
	http  *http.Client
}

func run(t testing.TB, config refserver.Config) *api {
	t.Helper()
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	a := &api{Service: paytest.Run(t, config), t: t, http: &http.Client{
		Transport: transport, Timeout: time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	a.token = a.login("")
	return a
}

// login fetches a token with a scope; empty: every scope.
func (a *api) login(scope string) string {
	a.t.Helper()
	body := ""
	if scope != "" {
		body = `{"scope":"` + scope + `"}`
	}
	answer := a.do("POST", tokenPath, body, "Authorization", basic(paytest.ClientID, paytest.ClientSecret))
	require.Equal(a.t, http.StatusOK, answer.status, answer)
	return answer.member("access_token").(string)
}

func basic(id, secret string) string {
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(id, secret)
	return r.Header.Get("Authorization")
}

// within logs in at a service that is asked without a network between, so that both may be in a bubble of synctest.
func within(t *testing.T, config refserver.Config) (ask func(method, path, body string, headers ...string) *httptest.ResponseRecorder) {
	t.Helper()
	service, err := refserver.New(config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, service.Close()) })
	authorization := ""
	ask = func(method, path, body string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.Header.Set("Authorization", authorization)
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		service.Handler.ServeHTTP(w, r)
		return w
	}
	authorization = bearer(t, ask)
	return ask
}

// bearer is the Authorization header with a new token.
func bearer(t *testing.T, ask func(method, path, body string, headers ...string) *httptest.ResponseRecorder) string {
	t.Helper()
	var token payments.AccessToken
	answer := ask("POST", tokenPath, "", "Authorization", basic(paytest.ClientID, paytest.ClientSecret))
	require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &token))
	return "Bearer " + token.AccessToken
}

// answer is what came back.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   string
}

func (a *answer) String() string { return http.StatusText(a.status) + " " + a.body }

func (a *answer) members() map[string]any {
	a.t.Helper()
	var members map[string]any
	require.NoError(a.t, json.Unmarshal([]byte(a.body), &members), a.body)
	return members
}

func (a *answer) member(name string) any {
	a.t.Helper()
	return a.members()[name]
}

// decode reads the body as a T.
func decode[T any](a *answer) T {
	a.t.Helper()
	var value T
	require.NoError(a.t, json.Unmarshal([]byte(a.body), &value), a.body)
	return value
}

// do sends a request. A header with an empty value is not sent; a body is sent as JSON unless a header says otherwise.
func (a *api) do(method, path, body string, headers ...string) *answer {
	a.t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	return a.send(method, path, reader, headers...)
}

func (a *api) send(method, path string, body io.Reader, headers ...string) *answer {
	a.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, a.URL+path, body)
	require.NoError(a.t, err)
	if a.token != "" {
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	set := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		set.Add(headers[i], headers[i+1])
	}
	maps.Copy(r.Header, set)
	for name := range set {
		if set.Get(name) == "" {
			delete(r.Header, name)
		}
	}
	response, err := a.http.Do(r)
	require.NoError(a.t, err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	require.NoError(a.t, err)
	return &answer{a.t, response.StatusCode, response.Header, string(content)}
}

// libraryWords are in the errors of Go's libraries that read requests. They are whole words, and EOF is in capitals: a
// random cursor or identifier may contain the same letters.
var libraryWords = regexp.MustCompile(`\bEOF\b|(?i)\b(MIME|jsontext|strconv|textproto|net/|http:|url:|URL escape|invalid (character|header|UTF|escape|semicolon|byte)|separator|cannot unmarshal|parse "|parsing|chunked encoding|missing required|duplicate object|max depth)`)

// requireProblem holds an answer to be the problem of a kind.
func requireProblem(t testing.TB, a *answer, kind payments.Kind) payments.Problem {
	t.Helper()
	problem := decode[payments.Problem](a)
	require.Equal(t, kind, problem.Kind(), a)
	require.Equal(t, payments.Describe(kind).Status, a.status)
	require.Equal(t, payments.Describe(kind).Title, problem.Title)
	require.NotRegexp(t, libraryWords, problem.Detail, "the texts are the service's own")
	return problem
}

const adaBody = `{"type":"individual","firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","country":"GB"}`

// approved opens an account and waits for its approval.
func (a *api) approved() string {
	a.t.Helper()
	answer := a.do("POST", accountsPath, adaBody)
	require.Equal(a.t, http.StatusCreated, answer.status, answer)
	a.Advance(a.t, time.Minute)
	return answer.member("id").(string)
}

// saved saves a contact on a rail.
func (a *api) saved(rail, currency string) string {
	a.t.Helper()
	answer := a.do("POST", contactsPath, contactBody(a.t, rail, currency))
	require.Equal(a.t, http.StatusCreated, answer.status, answer)
	return answer.member("id").(string)
}

// newTransfer creates a transfer without an amount.
func (a *api) newTransfer(contact string) (id string) {
	a.t.Helper()
	answer := a.do("POST", autoPath, `{"destinationSavedContactId":"`+contact+`","route":"ach:USD->base:USDC"}`)
	require.Equal(a.t, http.StatusCreated, answer.status, answer)
	return answer.member("id").(string)
}

func contactBody(t require.TestingT, rail, currency string) string {
	members := map[string]string{"label": "Grace", "holderName": "Grace Hopper", "holderType": "individual", "paymentRail": rail, "currency": currency}
	maps.Copy(members, paytest.Coordinates(rail))
	body, err := json.Marshal(members)
	require.NoError(t, err)
	return string(body)
}
