package server_test

import (
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// A web page whose name its owner has lead to this machine gets no answer but that, whatever it asks with whatever
// credentials.
func TestHostsOfAServiceOnThisMachine(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Local: true})
	ask := func(host, method, path string) *answer {
		return a.dial(t).write(method+" "+path+" HTTP/1.1", "Host: "+host, "Authorization: Bearer "+a.token,
			"Content-Length: 0").read()
	}
	for _, host := range []string{
		"127.0.0.1", "127.0.0.1:8700", "127.9.9.9", "localhost", "LocalHost:8700", "localhost.", "app.localhost:1", "[::1]",
		"[::1]:8700", "[::ffff:127.0.0.1]",
	} {
		require.Equal(t, http.StatusOK, ask(host, "GET", "/healthz").status, host)
	}
	for _, host := range []string{
		"evil.test", "evil.test:8700", "localhost.evil.test", "127.0.0.1.evil.test", "evil-localhost", "127.0.0.1.nip.io",
		"10.0.0.1", "0.0.0.0", "[::]", "169.254.169.254", "2130706433", "0x7f.1",
	} {
		problem := requireProblem(t, ask(host, "GET", "/healthz"), payments.ProblemMisdirected)
		require.Equal(t, "/problems/misdirected-request", problem.Type, "it does not repeat the host")
	}
	for _, op := range contract.Operations {
		requireProblem(t, ask("evil.test", op.Method, contract.Expand(op.Path, "x")), payments.ProblemMisdirected)
	}
	requireProblem(t, ask("evil.test", "GET", "/nowhere"), payments.ProblemMisdirected)
	requireProblem(t, ask("127.0.0.1", "GET", "http://evil.test/healthz"), payments.ProblemMisdirected)
	open := run(t, refserver.Config{}).dial(t).write("GET /healthz HTTP/1.1", "Host: evil.test").read()
	require.Equal(t, http.StatusOK, open.status, "a service for others has names of its own")
}

// What a page of another origin can have a browser send: never a token, nothing that has an effect, and no answer is
// for it to read.
func TestPagesOfOtherOrigins(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	page := []string{"Origin", "https://evil.test", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Cookie",
		"session=1"}
	before := a.accounts()
	for _, op := range contract.Operations {
		path := contract.Expand(op.Path, "x")
		preflight := append(page, "Access-Control-Request-Method", op.Method, "Access-Control-Request-Headers",
			"authorization, content-type")
		answers := []*answer{a.do("OPTIONS", path, "", preflight...)}
		for _, media := range []string{"text/plain", form, "multipart/form-data; boundary=x"} { // what needs no preflight
			simple := a.do(op.Method, path, adaBody, append(page, "Authorization", "", "Content-Type", media)...)
			switch {
			case op.Method != http.MethodGet:
				requireProblem(t, simple, payments.ProblemCrossOrigin)
			case op.Access != contract.Open:
				requireProblem(t, simple, payments.ProblemUnauthenticated)
			}
			answers = append(answers, simple)
			if op.Body != nil && op.Access == contract.Bearer { // and with a token it would be no JSON
				requireProblem(t, a.do(op.Method, path, adaBody, "Content-Type", media), payments.ProblemUnsupportedMediaType)
			}
		}
		for _, answer := range answers {
			for name := range answer.header {
				require.False(t, strings.HasPrefix(name, "Access-Control-") || name == "Set-Cookie", "%s: %s", op.ID, name)
			}
		}
	}
	// Credentials that a browser was once given for the token operation are all that it would add by itself.
	credentials := append(page, "Content-Type", form, "Authorization", basic(paytest.ClientID, paytest.ClientSecret))
	login := a.do("POST", tokenPath, "grant_type=client_credentials", credentials...)
	requireProblem(t, login, payments.ProblemCrossOrigin)
	require.Equal(t, before, a.accounts())
}

// As many clients have a world as there is room for. Those that have one go on; secrets that are wrong make none.
func TestFloodOfClients(t *testing.T) {
	t.Parallel()
	flood := func(a *api, kind payments.ProblemType) {
		for n := range 50 {
			requireProblem(t, a.do("POST", tokenPath, "", "Authorization", basic("flood-"+strconv.Itoa(n), "x")), kind)
		}
		require.Equal(t, http.StatusCreated, a.do("POST", accountsPath, adaBody).status)
	}
	a := run(t, refserver.Config{MaxClients: 3})
	a.as("one")
	a.as("two")
	flood(a, payments.ProblemTooManyClients)
	require.Equal(t, http.StatusOK, a.as("one").do("GET", accountsPath, "").status)
	flood(run(t, refserver.Config{MaxClients: 1, Clients: map[string]string{paytest.ClientID: paytest.ClientSecret}}),
		payments.ProblemUnauthenticated)

	// What is remembered of each is bounded too.
	open := run(t, refserver.Config{})
	open.as(strings.Repeat("x", 255))
	requireProblem(t, open.do("POST", tokenPath, "", "Authorization", basic(strings.Repeat("x", 256), "x")),
		payments.ProblemUnauthenticated)
}

// Requests that are one too many are refused until another one has been answered.
func TestOpenRequestsAreBounded(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Bounds: refserver.Bounds{OpenRequests: 1}})
	stream := a.stream("?after=latest")
	require.NotEmpty(t, stream.next()["id"])
	refused := a.do("GET", accountsPath, "")
	requireProblem(t, refused, payments.ProblemUnavailable)
	require.Equal(t, "1", refused.header.Get("Retry-After"))
	stream.end()
	for a.do("GET", accountsPath, "").status != http.StatusOK {
		runtime.Gosched()
	}
}

// A client that asks and never reads is cut off when its answer was not accepted in time.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Bounds: refserver.Bounds{AnswerTimeout: 3 * time.Second}})
	for name, head := range map[string]string{
		"answers":  "GET /openapi.yaml HTTP/1.1\r\nHost: a\r\n\r\n",
		"refusals": "GET /" + strings.Repeat("x", 8000) + " HTTP/1.1\r\nHost: a\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := a.dial(t)
			require.NoError(t, w.SetDeadline(time.Time{})) // to fill what is on the way takes long on a busy machine
			var err error
			for err == nil { // until the service has hung up: what it does not read does not fit on the way
				_, err = io.WriteString(w.Conn, strings.Repeat(head, 100))
			}
			require.NotErrorIs(t, err, net.ErrClosed)
			require.True(t, isConnectionReset(err), "%v", err)
		})
	}
	require.Equal(t, http.StatusOK, a.do("GET", "/healthz", "").status)
}

// However much is wrong with a request, what is said of it ends, and repeats no more of it than the contract allows.
func TestRefusalsAreBounded(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	long := strings.Repeat("x", 900_000)
	many := func(what string, n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString("," + strings.ReplaceAll(what, "#", strconv.Itoa(i)))
		}
		return b.String()[1:]
	}
	submit := contract.Expand(contract.SubmitKYC.Path, "acc_1")
	for _, test := range []struct {
		most               int // bytes of the answer
		method, path, body string
	}{
		{128 << 10, "POST", autoPath, `{"metadata":{` + many(`"m#":1`, 50_000) + `}}`},
		{128 << 10, "POST", autoPath, `{` + many(`"m#":1`, 50_000) + `}`},
		{128 << 10, "POST", submit, `{"requirements":[` + many("1", 100_000) + `]}`},
		{128 << 10, "POST", submit, `{"requirements":[` + many("{}", 100_000) + `]}`},
		{128 << 10, "PUT", faultsPath, `{"faults":[` + many(`{"operation":"x"}`, 20_000) + `]}`},
		{4_000, "POST", accountsPath, `{"type":"` + long + `"}`},
		{4_000, "POST", accountsPath, `{"` + long + `":1,"type":1}`},
		{4_000, "POST", accountsPath, `{"metadata":{"` + long + `":1}}`},
		{4_000, "PATCH", infoPath, `{"selectedSource":{"currency":"` + long + `","paymentRail":"` + long[:9000] + `"}}`},
		{12_000, "POST", accountsPath, `{"` + long[:400_000] + `":1,"` + long[:400_000] + `":2}`},
		{12_000, "GET", "/accounts/" + long[:8000] + "/v1", ""},
	} {
		answer := a.do(test.method, test.path, test.body)
		require.GreaterOrEqual(t, answer.status, 400)
		require.Less(t, answer.status, 500)
		require.Less(t, len(answer.body), test.most, test.path)
	}
	require.Less(t, len(a.do("POST", accountsPath, "{}", "Content-Encoding", long[:20_000]).body), 4_000)
	require.Less(t, len(a.dial(t).write("GET /nowhere HTTP/1.1", "Host: "+long[:20_000],
		"Connection: close").read().body), 4_000)
}
