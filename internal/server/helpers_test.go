package server_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/test/paytest"
	"github.com/payctl/payctl/internal/test/testkit"
)

func TestMain(m *testing.M) {
	if testkit.Raced { // a quarter of the checks: data races do not depend on the input
		if err := flag.Set("rapid.checks", "25"); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

const (
	tokenPath    = "/identity/auth/tokens/current/v1"
	infoPath     = "/transfers/info/v1"
	autoPath     = "/transfers/auto/v1"
	accountsPath = "/accounts/v1"
	contactsPath = "/contacts/saved/v1"
	clockPath    = "/sandbox/clock/v1"
	advancePath  = "/sandbox/clock/advance/v1"
	faultsPath   = "/sandbox/faults/v1"
	requestsPath = "/sandbox/requests/v1"
	snapshotPath = "/sandbox/snapshot/v1"
	form         = "application/x-www-form-urlencoded"
)

// api is a running reference service as a client sees it.
type api struct {
	*paytest.Service
	t     testing.TB
	token string // sent with every request unless a header says otherwise
	http  *http.Client
}

// run runs a service whose answers are all checked against the contract.
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

// unchecked runs a service until stop is called. Its answers may break the contract on purpose.
func unchecked(t *testing.T, config refserver.Config) (a *api, stop func()) {
	t.Helper()
	config.Clock = sandbox.ClockSetting{Mode: payments.ClockModeManual, Start: paytest.Start}
	service := must(refserver.New(config))
	address, stop := paytest.Listen(t, service, nil)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	a = &api{Service: &paytest.Service{Server: service, URL: "http://" + address}, t: t, http: client}
	a.token = a.login("")
	return a, stop
}

// login returns a token with a scope. Empty means every scope.
func (a *api) login(scope string) string {
	a.t.Helper()
	body := ""
	if scope != "" {
		body = `{"scope":"` + scope + `"}`
	}
	credentials := basic(paytest.ClientID, paytest.ClientSecret)
	return good[payments.AccessToken](a.do("POST", tokenPath, body, "Authorization", credentials)).AccessToken
}

// as returns another client of the same service.
func (a *api) as(client string) *api {
	a.t.Helper()
	other := *a
	credentials := basic(client, "secret-of-"+client)
	other.token = good[payments.AccessToken](a.do("POST", tokenPath, "", "Authorization", credentials)).AccessToken
	return &other
}

func basic(id, secret string) string {
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(id, secret)
	return r.Header.Get("Authorization")
}

// within runs a service without a network, so that client and service can share a synctest bubble.
func within(t *testing.T, config refserver.Config) *api {
	t.Helper()
	service := must(refserver.New(config))
	t.Cleanup(func() { require.NoError(t, service.Close()) })
	running := &paytest.Service{Server: service, URL: "http://localhost"}
	a := &api{Service: running, t: t, http: &http.Client{Transport: direct{service.Handler}}}
	a.token = a.login("")
	return a
}

// direct calls a handler instead of sending a request.
type direct struct{ handler http.Handler }

func (d direct) RoundTrip(sent *http.Request) (*http.Response, error) {
	r := sent.Clone(sent.Context())
	r.RequestURI = r.URL.RequestURI()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, r)
	return w.Result(), nil
}

// answer is the response to a request.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   string
}

func (a *answer) String() string { return http.StatusText(a.status) + " " + a.body }

func (a *answer) member(name string) any {
	a.t.Helper()
	return decode[map[string]any](a)[name]
}

// decode reads the body as a T.
func decode[T any](a *answer) T {
	a.t.Helper()
	var value T
	require.NoError(a.t, json.Unmarshal([]byte(a.body), &value), a.body)
	return value
}

// good reads a successful answer as a T.
func good[T any](a *answer) T {
	a.t.Helper()
	require.Less(a.t, a.status, 300, a)
	return decode[T](a)
}

// do sends a request. It omits headers with empty values. A body is JSON unless a header says otherwise.
func (a *api) do(method, path, body string, headers ...string) *answer {
	a.t.Helper()
	return must(a.try(method, path, body, headers...))
}

// try is like do, but the request may fail.
func (a *api) try(method, path, body string, headers ...string) (*answer, error) {
	a.t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := must(http.NewRequestWithContext(context.Background(), method, a.URL+path, reader))
	if a.token != "" {
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	set := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		set.Add(headers[i], headers[i+1])
	}
	maps.Copy(r.Header, set)
	maps.DeleteFunc(r.Header, func(_ string, values []string) bool { return values[0] == "" })
	response, err := a.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return &answer{a.t, response.StatusCode, response.Header, string(content)}, err
}

// libraryWords matches words in errors of the Go libraries that parse requests. It matches whole words, and EOF only in
// capitals, because random cursors and identifiers may contain the same letters.
var libraryWords = regexp.MustCompile(`\bEOF\b|(?i)\b(MIME|jsontext|strconv|textproto|net/|http:|url:|URL escape|` +
	`invalid (character|header|UTF|escape|semicolon|byte)|separator|cannot unmarshal|parse "|parsing|chunked encoding|` +
	`missing required|duplicate object|max depth)`)

// requireProblem requires that an answer is a problem of this type.
func requireProblem(t testing.TB, a *answer, kind payments.ProblemType) payments.Problem {
	t.Helper()
	problem := decode[payments.Problem](a)
	require.Equal(t, kind, problem.ProblemType(), a)
	require.Equal(t, payments.Describe(kind).Status, a.status)
	require.Equal(t, payments.Describe(kind).Title, problem.Title)
	require.NotRegexp(t, libraryWords, problem.Detail, "the service writes its own texts")
	return problem
}

const adaBody = `{"type":"individual","firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","country":"GB"}`

// approved opens an account and waits for its approval.
func (a *api) approved() string {
	a.t.Helper()
	account := good[payments.Account](a.do("POST", accountsPath, adaBody))
	a.Advance(a.t, time.Minute)
	return account.ID
}

// saved saves a contact on a rail.
func (a *api) saved(rail, currency string) string {
	a.t.Helper()
	return good[payments.SavedContact](a.do("POST", contactsPath, contactBody(a.t, rail, currency))).ID
}

// newTransfer creates a transfer without an amount.
func (a *api) newTransfer(contact string) (id string) {
	a.t.Helper()
	body := `{"destinationSavedContactId":"` + contact + `","route":"ach:USD->base:USDC"}`
	return good[payments.Transfer](a.do("POST", autoPath, body)).ID
}

func contactBody(t require.TestingT, rail, currency string) string {
	members := map[string]string{
		"label": "Grace", "holderName": "Grace Hopper", "holderType": "individual", "paymentRail": rail, "currency": currency,
	}
	maps.Copy(members, paytest.Coordinates(rail))
	body := must(json.Marshal(members))
	return string(body)
}

// fault sets the faults of these rules.
func (a *api) fault(rules ...string) {
	a.t.Helper()
	var wanted payments.SandboxFaults
	for _, rule := range rules {
		fault := must(payments.ParseFaultRule(rule))
		wanted.Faults = append(wanted.Faults, fault)
	}
	body := must(json.Marshal(wanted))
	require.Equal(a.t, wanted, good[payments.SandboxFaults](a.do("PUT", faultsPath, string(body))))
}

// accounts returns the number of accounts.
func (a *api) accounts() int {
	a.t.Helper()
	return len(good[payments.AccountPage](a.do("GET", accountsPath, "")).Data)
}

// patience is how long a test waits. Only a broken test waits that long.
const patience = 2 * time.Minute

// A wire is a connection to the service on which a test can send any bytes.
type wire struct {
	net.Conn
	t      testing.TB
	reader *bufio.Reader
}

func newWire(t testing.TB, conn net.Conn) *wire {
	t.Helper()
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	return &wire{Conn: conn, t: t, reader: bufio.NewReader(conn)}
}

// dial opens a connection.
func (a *api) dial(t testing.TB) *wire {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(a.URL, "http://"))
	require.NoError(t, err)
	return newWire(t, conn)
}

// write sends lines and an empty line, each ended by CRLF.
func (w *wire) write(lines ...string) *wire {
	w.t.Helper()
	return w.raw(strings.Join(lines, "\r\n") + "\r\n\r\n")
}

// raw sends text as it is. If the service hangs up early, reading its answer shows that.
func (w *wire) raw(text string) *wire {
	w.t.Helper()
	_, _ = io.WriteString(w.Conn, text)
	return w
}

// read reads an answer.
func (w *wire) read() *answer {
	w.t.Helper()
	response := must(http.ReadResponse(w.reader, nil))
	defer response.Body.Close()
	body := must(io.ReadAll(response.Body))
	if response.Close {
		response.Header.Set("Connection", "close")
	}
	return &answer{w.t, response.StatusCode, response.Header, string(body)}
}

// closed requires that the service has hung up and sent nothing more.
func (w *wire) closed() {
	w.t.Helper()
	rest, err := io.ReadAll(w.reader)
	require.True(w.t, err == nil || isConnectionReset(err), "%v", err)
	require.Empty(w.t, string(rest))
}

// isConnectionReset reports whether the other end, not this one, has hung up.
func isConnectionReset(err error) bool {
	return slices.ContainsFunc(resets, func(reset error) bool { return errors.Is(err, reset) })
}

// must returns the value of a call that must succeed.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
