package server_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
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

// A web page whose owner points its name at this machine gets only misdirected-request, whatever it asks and with
// whatever credentials.
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
	require.Equal(t, http.StatusOK, open.status, "a service for other machines may have any name")
}

// A page of another origin can make a browser send requests, but none with a token or an effect. It cannot read the
// answers.
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
		for _, media := range []string{"text/plain", form, "multipart/form-data; boundary=x"} { // need no preflight
			simple := a.do(op.Method, path, adaBody, append(page, "Authorization", "", "Content-Type", media)...)
			switch {
			case op.Method != http.MethodGet:
				requireProblem(t, simple, payments.ProblemCrossOrigin)
			case op.Access != contract.Open:
				requireProblem(t, simple, payments.ProblemUnauthenticated)
			}
			answers = append(answers, simple)
			if op.Body != nil && op.Access == contract.Bearer { // even with a token, it is not JSON
				requireProblem(t, a.do(op.Method, path, adaBody, "Content-Type", media), payments.ProblemUnsupportedMediaType)
			}
		}
		for _, answer := range answers {
			for name := range answer.header {
				require.False(t, strings.HasPrefix(name, "Access-Control-") || name == "Set-Cookie", "%s: %s", op.ID, name)
			}
		}
	}
	// A browser adds credentials by itself only if it was once given them for the token operation.
	credentials := append(page, "Content-Type", form, "Authorization", basic(paytest.ClientID, paytest.ClientSecret))
	login := a.do("POST", tokenPath, "grant_type=client_credentials", credentials...)
	requireProblem(t, login, payments.ProblemCrossOrigin)
	require.Equal(t, before, a.accounts())
}

// A service has at most MaxClients worlds. Clients that have one are not affected, and a wrong secret creates none.
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

	// The length of client identifiers is bounded too.
	open := run(t, refserver.Config{})
	open.as(strings.Repeat("x", 255))
	requireProblem(t, open.do("POST", tokenPath, "", "Authorization", basic(strings.Repeat("x", 256), "x")),
		payments.ProblemUnauthenticated)
}

// Requests beyond the limit are refused until another one ends.
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

// A client that never reads its answers is cut off after AnswerTimeout.
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
			require.NoError(t, w.SetDeadline(time.Time{})) // filling the buffers takes long on a busy machine
			var err error
			for err == nil { // until the buffers are full and the service hangs up
				_, err = io.WriteString(w.Conn, strings.Repeat(head, 100))
			}
			require.NotErrorIs(t, err, net.ErrClosed)
			require.True(t, isConnectionReset(err), "%v", err)
		})
	}
	require.Equal(t, http.StatusOK, a.do("GET", "/healthz", "").status)
}

// However much is wrong with a request, its refusal is short, and repeats no more of it than the contract allows.
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

// If a proxy may see another end of a request, the request is the last of its connection: nothing after it is read.
func TestNothingIsSmuggled(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	const behind = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
	for name, head := range map[string][]string{
		"two lengths":     {"HTTP/1.1", "Transfer-Encoding: chunked", "Content-Length: 2"},
		"chunked in 1.0":  {"HTTP/1.0", "Connection: keep-alive", "Transfer-Encoding: chunked"},
		"chunked":         {"HTTP/1.1", "Transfer-Encoding: Chunked"},
		"broken chunks":   {"HTTP/1.1", "Transfer-Encoding: chunked", "", "x"},
		"an odd coding":   {"HTTP/1.1", "Transfer-Encoding: gzip, chunked"},
		"lengths differ":  {"HTTP/1.1", "Content-Length: 2", "Content-Length: 3"},
		"no whole number": {"HTTP/1.1", "Content-Length: +2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := append([]string{"PATCH " + infoPath + " " + head[0], "Host: a", "Authorization: Bearer " + a.token,
				"Content-Type: application/json"}, head[1:]...)
			// All of it is one write: a service that hangs up before the rest arrives would reset the connection.
			w := a.dial(t).write(append(lines, "", "2\r\n{}\r\n0\r\n\r\n"+behind)...)
			require.Equal(t, "close", w.read().header.Get("Connection"))
			w.closed()
		})
	}
}

// A body that is too large is refused as soon as that is known. Others are requested with 100 Continue.
func TestBodiesOnTheWire(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Bounds: refserver.Bounds{BodyBytes: 100}})
	patch := func(media string, lines ...string) *wire {
		head := []string{"PATCH " + infoPath + " HTTP/1.1", "Host: a", "Authorization: Bearer " + a.token,
			"Content-Type: " + media}
		return a.dial(t).write(append(head, lines...)...)
	}
	const media = "application/json"
	for name, w := range map[string]*wire{
		"chunked":   patch(media, "Transfer-Encoding: chunked").raw("64\r\n" + strings.Repeat(" ", 100) + "\r\n1\r\n \r\n"),
		"not sent":  patch(media, "Content-Length: 101"),
		"held back": patch(media, "Content-Length: 101", "Expect: 100-continue"),
	} {
		answer := w.read()
		requireProblem(t, answer, payments.ProblemContentTooLarge)
		require.Equal(t, "close", answer.header.Get("Connection"), name)
	}
	w := patch(media, "Content-Length: 2", "Expect: 100-Continue")
	require.Equal(t, http.StatusContinue, w.read().status)
	require.Equal(t, http.StatusOK, w.raw("{}").read().status)
	refused := patch("text/plain", "Content-Length: 2", "Expect: 100-continue").read()
	requireProblem(t, refused, payments.ProblemUnsupportedMediaType)
}

// The host of an absolute target counts. Invalid targets and hosts are refused, and so is HTTP/2 without TLS.
func TestTargets(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	get := func(target, host string) *answer {
		return a.dial(t).write("GET "+target+" HTTP/1.1", "Host: "+host).read()
	}
	problem := requireProblem(t, get("http://example.com/nowhere", "other"), payments.ProblemNotFound)
	require.Equal(t, "/nowhere", problem.Instance)
	require.Equal(t, "http://example.com/problems/not-found", problem.Type)
	for _, target := range []string{
		"http://a<b/healthz", "/healthz#part", "/accounts/v1?email=a#b", "/accounts/\xc3\xa9/v1", "/healthz\x7f",
	} {
		require.Equal(t, http.StatusBadRequest, get(target, "a").status, target)
	}
	for _, host := range []string{"a:80x", "a:-1", "a:b:c", "[::1", "::1", "%zz", ":80", "[]:80", `a"b`} {
		answer := get("/healthz", host)
		require.Equal(t, http.StatusBadRequest, answer.status, host)
		require.NotContains(t, answer.body, "http://", "it has no URL")
	}
	for _, host := range []string{"", "a:", "a:80", "[::1]:80", "1.2.3.4", "a,b", "a_b"} {
		require.Equal(t, http.StatusOK, get("/healthz", host).status, host)
	}
	preface := a.dial(t).raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	requireProblem(t, preface.read(), payments.ProblemHTTPVersion)
	preface.closed()
	connect := a.dial(t).write("CONNECT example.com:443 HTTP/1.1", "Host: a").read()
	requireProblem(t, connect, payments.ProblemNotImplemented)
}

// Clients open connections in advance. An unused one does not delay the shutdown, plain or with TLS. With TLS, problem
// types are https URLs, and faults cut connections too.
func TestShutdownBesideAnUnusedConnection(t *testing.T) {
	t.Parallel()
	lent := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate
	lent.Close()
	client := lent.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	client.ServerName = "example.com"
	withTLS := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: lent.TLS.Certificates}
	for name, security := range map[string]*tls.Config{"plain": nil, "TLS": withTLS} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var cut bytes.Buffer
			service := must(refserver.New(refserver.Config{
				Bounds: refserver.Bounds{StopTimeout: 4 * time.Second}, // net/http alone would take five
				Log:    slog.New(slog.NewTextHandler(&cut, nil)),
				Faults: []payments.SandboxFault{{Operation: "createAccessToken", Action: payments.SandboxFaultActionReset}},
			}))
			address, stop := paytest.Listen(t, service, security)
			dial := func() *wire {
				conn := must((&net.Dialer{}).DialContext(t.Context(), "tcp", address))
				if security != nil {
					conn = tls.Client(conn, client)
					require.NoError(t, conn.(*tls.Conn).HandshakeContext(t.Context()))
				}
				return newWire(t, conn)
			}
			silent := dial()
			problem := requireProblem(t, dial().write("GET /nowhere HTTP/1.1", "Host: example.com").read(),
				payments.ProblemNotFound)
			require.Equal(t, security != nil, strings.HasPrefix(problem.Type, "https://example.com/"))
			dial().write("POST "+tokenPath+" HTTP/1.1", "Host: a", "Authorization: "+basic(paytest.ClientID,
				paytest.ClientSecret)).closed()
			stop()
			require.Empty(t, cut.String())
			_, err := io.ReadAll(silent)
			require.False(t, security == nil && err != nil && !isConnectionReset(err), "%v", err)
		})
	}
}
