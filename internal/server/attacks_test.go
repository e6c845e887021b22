package server_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
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

// A web page whose name its owner has lead to this machine gets no answer but that, whatever it asks with whatever credentials.
func TestHostsOfAServiceOnThisMachine(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Local: true, Hosts: []string{"payments.internal"}})
	ask := func(host, method, path string) *answer {
		return a.dial(t).write(method+" "+path+" HTTP/1.1", "Host: "+host, "Authorization: Bearer "+a.token, "Content-Length: 0", "Connection: close").read()
	}
	for host, answered := range map[string]bool{
		"127.0.0.1": true, "127.0.0.1:8700": true, "127.9.9.9": true, "localhost": true, "LocalHost:8700": true, "localhost.": true, "app.localhost:1": true,
		"[::1]": true, "[::1]:8700": true, "[::ffff:127.0.0.1]": true, "payments.internal": true, "Payments.Internal:8700": true,
		"evil.test": false, "evil.test:8700": false, "localhost.evil.test": false, "127.0.0.1.evil.test": false, "evil-localhost": false, "127.0.0.1.nip.io": false,
		"10.0.0.1": false, "0.0.0.0": false, "[::]": false, "169.254.169.254": false, "2130706433": false, "0x7f.1": false, "x.payments.internal": false,
	} {
		answer := ask(host, "GET", "/healthz")
		if answered {
			require.Equal(t, http.StatusOK, answer.status, host)
			continue
		}
		problem := requireProblem(t, answer, payments.KindMisdirected)
		require.Equal(t, "/problems/misdirected-request", problem.Type, "it does not repeat the host")
		require.Equal(t, "/healthz", problem.Instance)
	}
	for _, op := range contract.Operations {
		requireProblem(t, ask("evil.test", op.Method, contract.Expand(op.Path, "x")), payments.KindMisdirected)
	}
	requireProblem(t, ask("evil.test", "OPTIONS", "/healthz"), payments.KindMisdirected)
	requireProblem(t, ask("evil.test", "GET", "/nowhere"), payments.KindMisdirected)
	absolute := a.dial(t).write("GET http://evil.test/healthz HTTP/1.1", "Host: 127.0.0.1", "Connection: close").read()
	require.Equal(t, "/problems/misdirected-request", requireProblem(t, absolute, payments.KindMisdirected).Type)

	open := run(t, refserver.Config{})
	require.Equal(t, http.StatusOK, open.dial(t).write("GET /healthz HTTP/1.1", "Host: evil.test").read().status, "a service for others has names of its own")
}

// What a page of another origin can have a browser send: never a token, nothing that has an effect, and no answer is for it to
// read.
func TestPagesOfOtherOrigins(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	page := []string{"Origin", "https://evil.test", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Cookie", "session=1", "Authorization", ""}
	before := len(decode[payments.AccountPage](a.do("GET", accountsPath, "")).Data)
	for _, op := range contract.Operations {
		path := contract.Expand(op.Path, "x")
		preflight := a.do("OPTIONS", path, "", append(page, "Access-Control-Request-Method", op.Method, "Access-Control-Request-Headers", "authorization, content-type")...)
		answers := []*answer{preflight}
		for _, media := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"} { // what needs no preflight
			simple := a.do(op.Method, path, adaBody, append(page, "Content-Type", media)...)
			switch {
			case op.Method != http.MethodGet:
				requireProblem(t, simple, payments.KindCrossOrigin)
			case op.Access != contract.Open:
				requireProblem(t, simple, payments.KindUnauthenticated)
			}
			answers = append(answers, simple)
			if op.Body != nil && op.Access == contract.Bearer { // and with a token it would be no JSON
				requireProblem(t, a.do(op.Method, path, adaBody, "Content-Type", media), payments.KindUnsupportedMediaType)
			}
		}
		for _, answer := range answers {
			for name := range answer.header {
				require.False(t, strings.HasPrefix(name, "Access-Control-") || name == "Set-Cookie", "%s %s: %s", op.Method, path, name)
			}
			require.Equal(t, "nosniff", answer.header.Get("X-Content-Type-Options"))
		}
	}
	// Credentials that a browser was once given for the token operation are all that it would add by itself.
	token := a.do("POST", tokenPath, "grant_type=client_credentials", append(page[:len(page)-2:len(page)-2], "Content-Type", "application/x-www-form-urlencoded",
		"Authorization", basic(paytest.ClientID, paytest.ClientSecret))...)
	requireProblem(t, token, payments.KindCrossOrigin)
	require.Len(t, decode[payments.AccountPage](a.do("GET", accountsPath, "")).Data, before)
}

// No operation of the sandbox answers without the world's own token.
func TestSandboxAsksForTheToken(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	revoked := a.as("revoked")
	require.Equal(t, http.StatusNoContent, revoked.do("DELETE", tokenPath, "").status)
	found := 0
	for _, op := range contract.Operations {
		if !strings.HasPrefix(op.Path, "/sandbox/") {
			require.False(t, op.IsSandbox(), op.ID)
			continue
		}
		found++
		require.Equal(t, contract.Bearer, op.Access, op.ID)
		path := contract.Expand(op.Path, "x")
		for name, authorization := range map[string]string{
			"none": "", "Basic": basic(paytest.ClientID, paytest.ClientSecret), "unknown": "Bearer unknown", "revoked": "Bearer " + revoked.token, "of another scheme": "Token " + a.token,
		} {
			answer := a.do(op.Method, path, "{}", "Authorization", authorization)
			require.Equal(t, http.StatusUnauthorized, answer.status, "%s %s", op.ID, name)
		}
		requireProblem(t, a.do(op.Method, path+"?access_token="+a.token, "{}", "Authorization", ""), payments.KindUnauthenticated)
	}
	require.Greater(t, found, 10)
}

// As many clients have a world as there is room for. Those that have one go on; secrets that are wrong make none.
func TestFloodOfClients(t *testing.T) {
	t.Parallel()
	const most = 20
	a := run(t, refserver.Config{MaxClients: most})
	for n := 1; n < most; n++ {
		a.as("client-" + strconv.Itoa(n))
	}
	for n := range 50 {
		answer := a.do("POST", tokenPath, "", "Authorization", basic("flood-"+strconv.Itoa(n), "x"))
		problem := requireProblem(t, answer, payments.KindTooManyClients)
		require.Contains(t, problem.Detail, "another client than the 20 that it has")
	}
	require.Equal(t, http.StatusOK, a.as("client-1").do("GET", accountsPath, "").status)
	require.Equal(t, http.StatusCreated, a.do("POST", accountsPath, adaBody).status)

	// What is remembered of each is bounded too.
	unbounded := run(t, refserver.Config{})
	require.Equal(t, http.StatusOK, unbounded.as(strings.Repeat("x", 255)).do("GET", accountsPath, "").status)
	requireProblem(t, unbounded.do("POST", tokenPath, "", "Authorization", basic(strings.Repeat("x", 256), "x")), payments.KindUnauthenticated)

	named := run(t, refserver.Config{MaxClients: 1, Clients: map[string]string{paytest.ClientID: paytest.ClientSecret}})
	for n := range 50 {
		requireProblem(t, named.do("POST", tokenPath, "", "Authorization", basic("flood-"+strconv.Itoa(n), "x")), payments.KindUnauthenticated)
	}
	require.Equal(t, http.StatusCreated, named.do("POST", accountsPath, adaBody).status)
}

// Requests that are one too many are refused until another one has been answered.
func TestOpenRequestsAreBounded(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Bounds: refserver.Bounds{OpenRequests: 1}})
	stream := a.stream("?after=latest")
	require.NotEmpty(t, stream.next()["id"])
	refused := a.do("GET", accountsPath, "")
	requireProblem(t, refused, payments.KindUnavailable)
	require.Equal(t, "1", refused.header.Get("Retry-After"))
	stream.end()
	for a.do("GET", accountsPath, "").status != http.StatusOK {
		runtime.Gosched()
	}
}

// A client that asks and never reads is cut off when its answer was not accepted in time.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Bounds: refserver.Bounds{AnswerTimeout: 2 * time.Second}})
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

// isConnectionReset reports whether the other end has hung up, and not this one.
func isConnectionReset(err error) bool {
	return slices.ContainsFunc(resets, func(reset error) bool { return errors.Is(err, reset) })
}

// However much is wrong with a request, what is said of it ends.
func TestRefusalsAreBounded(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	many := func(what string, n int) string { return strings.TrimSuffix(strings.Repeat(what+",", n), ",") }
	numbered := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString("," + strings.ReplaceAll(format, "#", strconv.Itoa(i)))
		}
		return b.String()[1:]
	}
	for name, request := range map[string][2]string{
		"members of a wrong type":   {autoPath, `{"metadata":{` + numbered(`"m#":1`, 80_000) + `}}`},
		"members without a meaning": {autoPath, `{` + numbered(`"m#":1`, 80_000) + `}`},
		"elements of a wrong type":  {contract.Expand(contract.SubmitKYC.Path, "acc_1"), `{"requirements":[` + many("1", 500_000) + `]}`},
		"elements that lack all":    {contract.Expand(contract.SubmitKYC.Path, "acc_1"), `{"requirements":[` + many("{}", 300_000) + `]}`},
		"a text that is too long":   {accountsPath, `{"type":"` + strings.Repeat("x", 1_000_000) + `"}`},
		"a name that is too long":   {accountsPath, `{"` + strings.Repeat("x", 1_000_000) + `":1,"type":1}`},
		"faults":                    {contract.SetSandboxFaults.Path, `{"faults":[` + many(`{"operation":"x"}`, 50_000) + `]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			method := "POST"
			if request[0] == contract.SetSandboxFaults.Path {
				method = "PUT"
			}
			require.Less(t, len(request[1]), 1<<20)
			answer := a.do(method, request[0], request[1])
			require.Equal(t, http.StatusBadRequest, answer.status, answer)
			require.Less(t, len(answer.body), 128<<10, "a thousand mistakes at the most")
			requireProblem(t, answer, payments.KindValidation)
		})
	}
}
