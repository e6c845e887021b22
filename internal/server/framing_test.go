package server_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// Every request that net/http cannot read is answered with a problem document, and the connection ends.
func TestUnreadableRequests(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	const health = "GET /healthz HTTP/1.1"
	for name, c := range map[string]struct {
		sent   []string
		kind   payments.Kind
		detail string
	}{
		"no Host":                    {[]string{health}, payments.KindMalformed, "it has no Host header"},
		"two Hosts":                  {[]string{health, "Host: a", "Host: b"}, payments.KindMalformed, "malformed"},
		"a Host that is none":        {[]string{health, "Host: a b"}, payments.KindMalformed, "its Host header names no host"},
		"an empty request line":      {[]string{"", "Host: a"}, payments.KindMalformed, ""},
		"no HTTP":                    {[]string{"\x16\x03\x01\x02"}, payments.KindMalformed, "malformed"},
		"a request line of two":      {[]string{"GET /healthz", "Host: a"}, payments.KindMalformed, "malformed"},
		"a method that is no token":  {[]string{"G@T /healthz HTTP/1.1", "Host: a"}, payments.KindMalformed, "malformed"},
		"a target that is none":      {[]string{"GET healthz HTTP/1.1", "Host: a"}, payments.KindMalformed, "malformed"},
		"a target with a bad escape": {[]string{"GET /%zz HTTP/1.1", "Host: a"}, payments.KindMalformed, "malformed"},
		"a version that is none":     {[]string{"GET /healthz HTTP/one", "Host: a"}, payments.KindMalformed, "malformed"},
		"a version that is unknown":  {[]string{"GET /healthz HTTP/3.0", "Host: a"}, payments.KindHTTPVersion, "HTTP/1.1"},
		"a header without a colon":   {[]string{health, "Host: a", "nonsense"}, payments.KindMalformed, "malformed"},
		"a header name with a space": {[]string{health, "Host: a", "X Y: 1"}, payments.KindMalformed, "the name of a header is malformed"},
		"a space before the colon":   {[]string{health, "Host: a", "X : 1"}, payments.KindMalformed, "the name of a header is malformed"},
		"a header name of none":      {[]string{health, "Host: a", ": 1"}, payments.KindMalformed, "malformed"},
		"a control character":        {[]string{health, "Host: a", "X: \x00"}, payments.KindMalformed, ""},
		"a CR alone":                 {[]string{health, "Host: a", "X: a\rb"}, payments.KindMalformed, ""},
		"a folded first header":      {[]string{health, " Host: a"}, payments.KindMalformed, "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			problem := requireProtocolError(t, a.dial(t).write(c.sent...), c.kind)
			require.Contains(t, problem.Detail, c.detail)
		})
	}
}

// What is wrong with a request is told in the service's own words.
func TestWordsOfMalformedRequests(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	authorized := []string{"Host: a", "Authorization: Bearer " + a.token, "Content-Type: application/json"}
	const form, grant = "Content-Type: application/x-www-form-urlencoded", "POST " + tokenPath + " HTTP/1.1"
	credentials := []string{"Host: a", "Authorization: " + basic(paytest.ClientID, paytest.ClientSecret), form}
	for _, test := range []struct {
		line   string
		header []string
		body   string
		detail string
	}{
		{"GET /healthz HTTP/1.1", nil, "", "The request cannot be read: it has no Host header."},
		{"GET /healthz HTTP/1.1", []string{"Host: a b"}, "", "The request cannot be read: its Host header names no host."},
		{"GET /healthz HTTP/1.1", []string{"Host: a", "X Y: 1"}, "", "The request cannot be read: the name of a header is malformed."},
		{"GET /healthz HTTP/1.1", []string{"Host: a", "nonsense"}, "", "The request cannot be read: its head is malformed."},
		{"GET /%zz HTTP/1.1", []string{"Host: a"}, "", "The request cannot be read: its head is malformed."},
		{"GET http://[::1 HTTP/1.1", []string{"Host: a"}, "", "The request cannot be read: its head is malformed."},
		{"GET " + accountsPath + "?limit=%zz HTTP/1.1", authorized, "", `The query cannot be read: "%zz" is not an escaped byte such as %2B.`},
		{"GET " + accountsPath + "?a;b HTTP/1.1", authorized, "", "The query cannot be read: it has a semicolon, which has to be escaped as %3B."},
		{grant, credentials, "%", `The form cannot be read: "%" is not an escaped byte such as %2B.`},
		{grant, credentials, strings.Repeat("a=1&", 20_000), "The form cannot be read: it has too many parameters."},
		{"PATCH " + infoPath + " HTTP/1.1", authorized, `{"a":`, "The body is not well-formed JSON: line 1, column 6: the text ends within the value."},
		{"PATCH " + infoPath + " HTTP/1.1", authorized, `{"a":x}`, `The body is not well-formed JSON: line 1, column 6: the character "x" cannot stand here.`},
		{"PATCH " + infoPath + " HTTP/1.1", append(slices.Clone(authorized), "Transfer-Encoding: chunked"), "zz\r\n", "The body cannot be read."},
	} {
		head := append([]string{test.line}, test.header...)
		if test.body != "" && !strings.Contains(strings.Join(head, "\n"), "chunked") {
			head = append(head, "Content-Length: "+strconv.Itoa(len(test.body)))
		}
		answer := a.dial(t).write(head...).raw(test.body).read()
		require.Equal(t, test.detail, requireProblem(t, answer, payments.KindMalformed).Detail, "%s %s", head, test.body)
	}
}

// The Content-Length must be unambiguous. Otherwise the request is refused, and nothing behind it is read as another one.
func TestContentLength(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	patch := func(lines ...string) *wire {
		return a.dial(t).write(append([]string{"PATCH " + infoPath + " HTTP/1.1", "Host: a", "Authorization: Bearer " + a.token, "Content-Type: application/json"}, lines...)...)
	}
	for name, lines := range map[string][]string{
		"no number":               {"Content-Length: two"},
		"negative":                {"Content-Length: -2"},
		"with a sign":             {"Content-Length: +2"},
		"with a fraction":         {"Content-Length: 2.0"},
		"hexadecimal":             {"Content-Length: 0x2"},
		"beyond 63 bits":          {"Content-Length: 9223372036854775808"},
		"empty":                   {"Content-Length:"},
		"a list":                  {"Content-Length: 2, 2"},
		"two that differ":         {"Content-Length: 2", "Content-Length: 3"},
		"two, the second is none": {"Content-Length: 2", "Content-Length: two"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := patch(lines...).raw("{}GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
			requireProtocolError(t, w, payments.KindMalformed)
		})
	}
	t.Run("two that agree", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, http.StatusOK, patch("Content-Length: 2", "Content-Length: 2").raw("{}").read().status)
	})
	t.Run("more than is sent", func(t *testing.T) {
		t.Parallel()
		w := patch("Content-Length: 3").raw("{}")
		require.NoError(t, w.Conn.(*net.TCPConn).CloseWrite())
		require.Contains(t, requireProblem(t, w.read(), payments.KindMalformed).Detail, "ends before")
	})
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		requireProblem(t, patch().read(), payments.KindMalformed)
	})
}

func TestTransferEncoding(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	patch := func(version string, lines ...string) *wire {
		return a.dial(t).write(append([]string{"PATCH " + infoPath + " " + version, "Host: a", "Authorization: Bearer " + a.token, "Content-Type: application/json"}, lines...)...)
	}
	const chunked = "2\r\n{}\r\n0\r\n\r\n"
	t.Run("chunked", func(t *testing.T) {
		t.Parallel()
		w := patch("HTTP/1.1", "Transfer-Encoding: Chunked")
		answer := w.raw("1;ext=1\r\n{\r\n1\r\n}\r\n0\r\nTrailer: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").read()
		require.Equal(t, http.StatusOK, answer.status)
		require.Equal(t, "close", answer.header.Get("Connection"))
		w.closed()
	})
	for name, coding := range map[string]string{
		"an unknown coding, then chunked": "gzip, chunked",
		"not chunked at the end":          "gzip",
		"chunked, but not at the end":     "chunked, gzip",
		"chunked twice":                   "chunked, chunked",
		"identity":                        "identity",
		"two headers":                     "chunked\r\nTransfer-Encoding: chunked",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireProtocolError(t, patch("HTTP/1.1", "Transfer-Encoding: "+coding).raw(chunked), payments.KindNotImplemented)
		})
	}
	t.Run("a control character", func(t *testing.T) {
		t.Parallel()
		requireProtocolError(t, patch("HTTP/1.1", "Transfer-Encoding: \vchunked").raw(chunked), payments.KindMalformed)
	})
	t.Run("with a Content-Length", func(t *testing.T) {
		t.Parallel()
		for _, lines := range [][]string{{"Transfer-Encoding: chunked", "Content-Length: 2"}, {"content-length: 12", "transfer-encoding: chunked"}} {
			w := patch("HTTP/1.1", lines...).raw(chunked + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
			answer := w.read()
			require.Equal(t, http.StatusOK, answer.status, "the Content-Length is ignored")
			require.Equal(t, "close", answer.header.Get("Connection"))
			w.closed()
		}
	})
	t.Run("in the second request of a burst", func(t *testing.T) {
		t.Parallel()
		w := a.dial(t).raw("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nPATCH " + infoPath + " HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked)
		require.Equal(t, http.StatusOK, w.read().status)
		require.Equal(t, "close", w.read().header.Get("Connection"))
		w.closed()
	})
	t.Run("in HTTP/1.0", func(t *testing.T) {
		t.Parallel()
		w := patch("HTTP/1.0", "Connection: keep-alive", "Transfer-Encoding: chunked").raw(chunked)
		answer := w.read()
		require.Contains(t, requireProblem(t, answer, payments.KindMalformed).Detail, "JSON", "the coding is ignored, so the body is empty")
		require.Equal(t, "close", answer.header.Get("Connection"))
		w.closed()
	})
	t.Run("chunks that are broken", func(t *testing.T) {
		t.Parallel()
		for _, body := range []string{"x\r\n", "2\r\n{}x\r\n", "-1\r\n", "10000000000000000\r\n", "\r\n"} {
			w := patch("HTTP/1.1", "Transfer-Encoding: chunked").raw(body)
			answer := w.read()
			requireProblem(t, answer, payments.KindMalformed)
			require.Equal(t, "close", answer.header.Get("Connection"), "%q", body)
			w.closed()
		}
	})
}

func TestSizesOfTheHead(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	t.Run("a target that is too long", func(t *testing.T) {
		t.Parallel()
		fits := "/accounts/" + strings.Repeat("a", 8<<10-len("/accounts//v1")) + "/v1"
		requireProblem(t, a.do("GET", fits, ""), payments.KindNotFound)
		requireProblem(t, a.do("GET", fits+"?", ""), payments.KindURITooLong)
		requireProblem(t, a.do("GET", accountsPath+"?cursor="+strings.Repeat("a", 8<<10), ""), payments.KindURITooLong)
	})
	t.Run("a target without end", func(t *testing.T) {
		t.Parallel()
		requireProtocolError(t, a.dial(t).raw("GET /"+strings.Repeat("a", 1<<20)), payments.KindHeaderTooLarge)
	})
	t.Run("header fields that are too large", func(t *testing.T) {
		t.Parallel()
		for _, header := range []string{"X: " + strings.Repeat("x", 1<<20), strings.Repeat("X: y\r\n", 100_000), strings.Repeat("x", 1<<20)} {
			requireProtocolError(t, a.dial(t).write("GET /healthz HTTP/1.1", "Host: a", header), payments.KindHeaderTooLarge)
		}
	})
}

// Bodies that are too large are refused as soon as that is known.
func TestBodySizeOnTheWire(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Bounds: refserver.Bounds{BodyBytes: 100}})
	head := []string{"PATCH " + infoPath + " HTTP/1.1", "Host: a", "Authorization: Bearer " + a.token, "Content-Type: application/json"}
	t.Run("chunked", func(t *testing.T) {
		t.Parallel()
		w := a.dial(t).write(append(slices.Clone(head), "Transfer-Encoding: chunked")...)
		answer := w.raw("64\r\n" + strings.Repeat(" ", 100) + "\r\n1\r\n \r\n").read() // it never ends
		requireProblem(t, answer, payments.KindContentTooLarge)
		require.Equal(t, "close", answer.header.Get("Connection"))
	})
	t.Run("one byte", func(t *testing.T) {
		t.Parallel()
		requireProblem(t, a.dial(t).write(append(slices.Clone(head), "Content-Length: 101")...).raw(strings.Repeat(" ", 101)).read(), payments.KindContentTooLarge)
	})
	t.Run("not sent at all", func(t *testing.T) {
		t.Parallel()
		usual := run(t, refserver.Config{})
		w := usual.dial(t).write("PATCH "+infoPath+" HTTP/1.1", "Host: a", "Authorization: Bearer "+usual.token,
			"Content-Type: application/json", "Content-Length: 1048577")
		answer := w.read() // the service waits for no byte of the body
		requireProblem(t, answer, payments.KindContentTooLarge)
		require.Equal(t, "close", answer.header.Get("Connection"))
		w.closed()
	})
	t.Run("not sent yet", func(t *testing.T) {
		t.Parallel()
		answer := a.dial(t).write(append(slices.Clone(head), "Content-Length: 101", "Expect: 100-continue")...).read()
		requireProblem(t, answer, payments.KindContentTooLarge)
		require.Equal(t, "close", answer.header.Get("Connection"))
	})
}

func TestExpect(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	head := func(version, token, expectation string) []string {
		return []string{"PATCH " + infoPath + " " + version, "Host: a", "Authorization: Bearer " + token, "Content-Type: application/json", "Content-Length: 2", "Expect: " + expectation}
	}
	t.Run("100-continue", func(t *testing.T) {
		t.Parallel()
		w := a.dial(t).write(head("HTTP/1.1", a.token, "100-Continue")...)
		require.Equal(t, http.StatusContinue, w.read().status)
		require.Equal(t, http.StatusOK, w.raw("{}").read().status)
	})
	t.Run("a request that is refused without its body", func(t *testing.T) {
		t.Parallel()
		w := a.dial(t).write(head("HTTP/1.1", "unknown", "100-continue")...)
		answer := w.read()
		requireProblem(t, answer, payments.KindUnauthenticated)
		require.Equal(t, "close", answer.header.Get("Connection"))
	})
	t.Run("a body that is refused unseen", func(t *testing.T) {
		t.Parallel()
		form := "Content-Type: application/x-www-form-urlencoded"
		for _, fields := range [][]string{
			{"PATCH " + infoPath, "Content-Type: text/plain", "Content-Length: 2"},
			{"PATCH " + infoPath, "Content-Length: 2"},
			{"POST " + accountsPath, form, "Transfer-Encoding: chunked"},
		} {
			fields[0] += " HTTP/1.1"
			answer := a.dial(t).write(append(fields, "Host: a", "Authorization: Bearer "+a.token, "Expect: 100-continue")...).read()
			requireProblem(t, answer, payments.KindUnsupportedMediaType)
			require.Equal(t, "close", answer.header.Get("Connection"))
		}
		w := a.dial(t).write("POST "+tokenPath+" HTTP/1.1", "Host: a", "Authorization: "+basic(paytest.ClientID, paytest.ClientSecret),
			form, "Content-Length: 29", "Expect: 100-continue")
		require.Equal(t, http.StatusContinue, w.read().status, "what the operation takes is asked for")
		require.Equal(t, http.StatusOK, w.raw("grant_type=client_credentials").read().status)
	})
	t.Run("HTTP/1.0 expects nothing", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, http.StatusOK, a.dial(t).write(head("HTTP/1.0", a.token, "100-continue")...).raw("{}").read().status)
	})
	t.Run("anything else", func(t *testing.T) {
		t.Parallel()
		requireProtocolError(t, a.dial(t).write(head("HTTP/1.1", a.token, "a-miracle")...), payments.KindExpectationFailed)
	})
}

// A client that stops in the middle of its request, or sends none, loses its connection. One that stops in the middle of a body
// gets a response first.
func TestSlowRequests(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Bounds: refserver.Bounds{HeadTimeout: 300 * time.Millisecond, RequestTimeout: 400 * time.Millisecond, IdleTimeout: 300 * time.Millisecond}})
	t.Run("head", func(t *testing.T) {
		t.Parallel()
		a.dial(t).raw("GET /healthz HTTP/1.1\r\nHost: a\r\n").closed()
	})
	t.Run("request line", func(t *testing.T) {
		t.Parallel()
		requireProtocolError(t, a.dial(t).raw("GET /hea"), payments.KindMalformed)
	})
	t.Run("head of a second request", func(t *testing.T) {
		t.Parallel()
		w := a.dial(t).write("GET /healthz HTTP/1.1", "Host: a")
		require.Equal(t, http.StatusOK, w.read().status)
		w.raw("GET /nowhere HTTP/1.1\r\n").closed()
	})
	for name, framing := range map[string][2]string{"body": {"Content-Length: 2", "{"}, "chunked body": {"Transfer-Encoding: chunked", "1\r\n{\r\n"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := a.dial(t).write("PATCH "+infoPath+" HTTP/1.1", "Host: a", "Authorization: Bearer "+a.token, "Content-Type: application/json", framing[0])
			answer := w.raw(framing[1]).read()
			requireProblem(t, answer, payments.KindRequestTimeout)
			require.Equal(t, "close", answer.header.Get("Connection"))
			w.closed()
		})
	}
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		a.dial(t).closed()
		w := a.dial(t).write("GET /healthz HTTP/1.1", "Host: a")
		require.Equal(t, http.StatusOK, w.read().status)
		w.closed()
	})
}

// A client that closes its side while it waits gets no response, which could only be a guess, and its operation ends.
func TestClientThatHangsUp(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Faults: []payments.SandboxFault{{Operation: "listAccounts", Action: payments.SandboxFaultActionDelay, Delay: "1m"}}})
	w := a.dial(t).write("GET "+accountsPath+" HTTP/1.1", "Host: a", "Authorization: Bearer "+a.token)
	require.NoError(t, w.Conn.(*net.TCPConn).CloseWrite())
	w.closed()
}

func TestTargets(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	t.Run("absolute form", func(t *testing.T) {
		t.Parallel()
		answer := a.dial(t).write("GET http://example.com/nowhere HTTP/1.1", "Host: other").read()
		problem := requireProblem(t, answer, payments.KindNotFound)
		require.Equal(t, "/nowhere", problem.Instance)
		require.Equal(t, "http://example.com/problems/not-found", problem.Type, "the target's host counts")
	})
	t.Run("absolute form without a path", func(t *testing.T) {
		t.Parallel()
		for _, target := range []string{"http://example.com", "http://example.com?a=b"} {
			problem := requireProblem(t, a.dial(t).write("GET "+target+" HTTP/1.1", "Host: a").read(), payments.KindNotFound)
			require.Equal(t, "/", problem.Instance)
			require.Equal(t, "There is no path /.", problem.Detail)
		}
		whole := a.dial(t).write("OPTIONS * HTTP/1.1", "Host: a").read().header
		answer := a.dial(t).write("OPTIONS http://example.com HTTP/1.1", "Host: a").read()
		require.Equal(t, http.StatusNoContent, answer.status)
		require.Equal(t, whole.Get("Allow"), answer.header.Get("Allow"), "it asks for the whole service")
		require.Empty(t, answer.header.Get("Accept-Patch"))
		requireProblem(t, a.dial(t).write("OPTIONS http://example.com?a=b HTTP/1.1", "Host: a").read(), payments.KindNotFound)
	})
	t.Run("absolute form of another scheme", func(t *testing.T) {
		t.Parallel()
		for _, target := range []string{"https://example.com/healthz", "ftp://example.com/healthz", "example.com:80", "http://user:secret@example.com/healthz"} {
			problem := requireProblem(t, a.dial(t).write("GET "+target+" HTTP/1.1", "Host: a").read(), payments.KindMalformed)
			require.NotContains(t, problem.Detail, "secret")
		}
	})
	t.Run("absolute form without a host", func(t *testing.T) {
		t.Parallel()
		for _, target := range []string{"http:///healthz", "http://:80/healthz", "http:healthz", "http://a<b/healthz"} {
			requireProblem(t, a.dial(t).write("GET "+target+" HTTP/1.1", "Host: a").read(), payments.KindMalformed)
		}
	})
	t.Run("what no target has", func(t *testing.T) {
		t.Parallel()
		for _, target := range []string{"/healthz#part", "/accounts/v1?email=a#b", "/accounts/\xc3\xa9/v1", "/healthz\x7f"} {
			requireProblem(t, a.dial(t).write("GET "+target+" HTTP/1.1", "Host: a").read(), payments.KindMalformed)
		}
	})
	t.Run("a Host that is none", func(t *testing.T) {
		t.Parallel()
		for _, host := range []string{"a:80x", "a:-1", "a:b:c", "[::1", "::1", "%zz", ":80", "[]:80", `a"b`} {
			w := a.dial(t)
			problem := requireProblem(t, w.write("GET /healthz HTTP/1.1", "Host: "+host).read(), payments.KindMalformed)
			require.Equal(t, "/problems/malformed-request", problem.Type, "it names no place")
		}
		for _, host := range []string{"", "a:", "a:80", "[::1]:80", "1.2.3.4", "a,b", "a_b"} {
			require.Equal(t, http.StatusOK, a.dial(t).write("GET /healthz HTTP/1.1", "Host: "+host).read().status, host)
		}
	})
	t.Run("behind an empty line", func(t *testing.T) {
		t.Parallel()
		requireProtocolError(t, a.dial(t).raw("\r\n").write("GET /healthz HTTP/1.1", "Host: a"), payments.KindMalformed)
		w := a.dial(t)
		w.raw("POST " + accountsPath + " HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
		require.Equal(t, http.StatusUnauthorized, w.read().status)
		require.Equal(t, http.StatusOK, w.read().status, "behind a POST, where old clients send one, it is skipped")
	})
	t.Run("asterisk form", func(t *testing.T) {
		t.Parallel()
		w := a.dial(t).write("OPTIONS * HTTP/1.1", "Host: a")
		answer := w.read()
		require.Equal(t, http.StatusNoContent, answer.status)
		require.Equal(t, "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT", answer.header.Get("Allow"))
		require.NotEmpty(t, answer.header.Get("X-Request-Id"))
		requireProblem(t, w.write("GET * HTTP/1.1", "Host: a").read(), payments.KindMalformed)
	})
	t.Run("preface of HTTP/2", func(t *testing.T) {
		t.Parallel()
		w := a.dial(t).raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
		requireProblem(t, w.read(), payments.KindHTTPVersion)
		w.closed()
	})
	t.Run("authority form", func(t *testing.T) {
		t.Parallel()
		requireProblem(t, a.dial(t).write("CONNECT example.com:443 HTTP/1.1", "Host: a").read(), payments.KindNotImplemented)
	})
}

// Requests that RFC 9110 and RFC 9112 tell a recipient to tolerate are answered as usual.
func TestToleratedRequests(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	const rest = " HTTP/1.1\r\nHost: a\r\n"
	for _, request := range []string{
		"GET /healthz HTTP/1.1\nHost: a\n\n",
		"GET /healthz HTTP/1.2\r\nHost: a\r\n\r\n",
		"GET /healthz" + rest + "X-Folded: a\r\n b\r\n\r\n",
		"GET /healthz" + rest + "Accept-Encoding: identity;q=0\r\nAccept-Charset: latin1\r\nAccept-Language: xx\r\n\r\n",
		"GET /healthz" + rest + "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n",
		"GET /healthz" + rest + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n",
		"GET /healthz" + rest + "TE: trailers, deflate\r\nX: \xff\r\n\r\n",
		"GET /healthz" + rest + "Content-Length: 5\r\n\r\nabcde",
	} {
		w := a.dial(t).raw(request)
		answer := w.read()
		require.Equal(t, http.StatusOK, answer.status, request)
		require.Empty(t, answer.header.Get("Upgrade"))
		require.Empty(t, answer.header.Get("Content-Encoding"))
		require.Equal(t, http.StatusOK, w.write("GET /healthz HTTP/1.1", "Host: a").read().status, "the connection goes on")
	}
}

// One connection takes any number of requests, also pipelined ones.
func TestPersistentConnection(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	w := a.dial(t)
	for range 3 {
		w.raw(strings.Repeat("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", 20))
		for range 20 {
			require.Equal(t, http.StatusOK, w.read().status)
		}
	}
	requireProtocolError(t, w.write("GET /accounts/v1 HTTP/1.1"), payments.KindMalformed)
	old := a.dial(t).write("GET /healthz HTTP/1.0")
	require.Equal(t, http.StatusOK, old.read().status)
	old.closed()
}

// A response reaches a client that is still sending: a connection that is closed with unread data could be reset first.
func TestResponseArrivesWhileTheClientSends(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for name, lines := range map[string][]string{
		"a head":        {"GET /healthz HTTP/1.1", "X: " + strings.Repeat("x", 128<<10)},
		"broken chunks": {"PATCH " + infoPath + " HTTP/1.1", "Authorization: Bearer " + a.token, "Content-Type: application/json", "Transfer-Encoding: chunked", "", "x" + strings.Repeat("x", 128<<10)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := a.dial(t).write(slices.Insert(lines, 1, "Host: a")...)
			require.GreaterOrEqual(t, w.read().status, 400)
			_, err := io.ReadAll(w.reader)
			require.NoError(t, err)
		})
	}
	t.Run("a burst behind a chunked body", func(t *testing.T) {
		t.Parallel()
		health := "GET /healthz HTTP/1.1\r\nHost: a\r\n"
		w := a.dial(t).raw(health + "\r\n" + health + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + health + "X: " + strings.Repeat("x", 8<<10) + "\r\n\r\n")
		require.Equal(t, http.StatusOK, w.read().status)
		require.Equal(t, "close", w.read().header.Get("Connection"))
		_, err := io.ReadAll(w.reader)
		require.NoError(t, err)
	})
}

// Pipelined requests may be split anywhere on their way.
func TestBurstInTwoPieces(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	inPieces(t, a, "GET /nowhere HTTP/1.1\r\nHost: a.example\r\nX: y\r\n\r\n", func(w *wire) {
		problem := requireProblem(t, w.read(), payments.KindNotFound)
		require.Equal(t, "http://a.example/problems/not-found", problem.Type)
		require.Equal(t, http.StatusOK, w.write("GET /healthz HTTP/1.1", "Host: a").read().status, "the connection goes on")
	})
}

// inPieces sends a request behind another one, split after each of its bytes in turn, and checks the response.
func inPieces(t *testing.T, a *api, request string, check func(*wire)) {
	t.Helper()
	for at := range request {
		w := a.dial(t).raw("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" + request[:at])
		require.Equal(t, http.StatusOK, w.read().status)
		check(w.raw(request[at:]))
		require.NoError(t, w.Close())
	}
}

func TestHTTPS(t *testing.T) {
	t.Parallel()
	address, config := secure(t, refserver.Config{Bounds: refserver.Bounds{HeadTimeout: time.Second}})
	dial := func(t *testing.T, protocols ...string) *wire {
		own := config.Clone()
		own.NextProtos = protocols
		conn, err := (&tls.Dialer{Config: own}).DialContext(t.Context(), "tcp", address)
		require.NoError(t, err)
		return newWire(t, conn)
	}
	t.Run("problems name https", func(t *testing.T) {
		t.Parallel()
		problem := requireProblem(t, dial(t, "h2", "http/1.1").write("GET /nowhere HTTP/1.1", "Host: example.com").read(), payments.KindNotFound)
		require.Equal(t, "https://example.com/problems/not-found", problem.Type)
	})
	t.Run("unreadable requests", func(t *testing.T) {
		t.Parallel()
		requireProtocolError(t, dial(t).write("GET /healthz HTTP/1.1"), payments.KindMalformed)
		requireProtocolError(t, dial(t).write("GET /healthz HTTP/1.1", "Host: example.com", "Content-Length: x"), payments.KindMalformed)
		requireProtocolError(t, dial(t).write("GET /healthz HTTP/1.1", "Host: a", "X: "+strings.Repeat("x", 1<<20)), payments.KindHeaderTooLarge)
		dial(t).raw("GET /healthz HTTP/1.1\r\n").closed()
	})
	t.Run("HTTP/1.1 is chosen", func(t *testing.T) {
		t.Parallel()
		w := dial(t, "h2", "http/1.1")
		require.Equal(t, "http/1.1", w.Conn.(*tls.Conn).ConnectionState().NegotiatedProtocol)
	})
	t.Run("plain HTTP", func(t *testing.T) {
		t.Parallel()
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		require.NoError(t, err)
		problem := requireProtocolError(t, newWire(t, conn).write("GET /healthz HTTP/1.1", "Host: a"), payments.KindMalformed)
		require.Contains(t, problem.Detail, "HTTPS")
	})
	t.Run("no TLS and no HTTP", func(t *testing.T) {
		t.Parallel()
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		require.NoError(t, err)
		w := newWire(t, conn).raw(strings.Repeat("\x00", 100))
		_, _ = io.ReadAll(w.reader) // a TLS alert at the most
	})
	t.Run("no TLS connection, no request", func(t *testing.T) {
		t.Parallel()
		asked := &recorded{}
		address, config := secure(t, refserver.Config{OnResponse: asked.record})
		for name, hello := range map[string]*tls.Config{"none": nil, "an old version": {MaxVersion: tls.VersionTLS11}, "HTTP/2 alone": {NextProtos: []string{"h2"}}} {
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
			require.NoError(t, err)
			w := newWire(t, conn)
			if hello != nil {
				hello.InsecureSkipVerify = true // it never gets there
				require.Error(t, tls.Client(conn, hello).HandshakeContext(t.Context()), name)
			}
			require.NoError(t, conn.(*net.TCPConn).CloseWrite())
			w.closed()
		}
		conn, err := (&tls.Dialer{Config: config}).DialContext(t.Context(), "tcp", address)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, newWire(t, conn).write("GET /healthz HTTP/1.1", "Host: a").read().status)
		asked.last(t, "getHealth", 1)
		require.Len(t, asked.all, 1)
	})
	t.Run("a fault cuts the connection", func(t *testing.T) {
		t.Parallel()
		faulty, config := secure(t, refserver.Config{Faults: []payments.SandboxFault{{Operation: "createAccessToken", Action: payments.SandboxFaultActionReset}}})
		conn, err := (&tls.Dialer{Config: config}).DialContext(t.Context(), "tcp", faulty)
		require.NoError(t, err)
		w := newWire(t, conn).write("POST "+tokenPath+" HTTP/1.1", "Host: a", "Authorization: "+basic(paytest.ClientID, paytest.ClientSecret))
		_, err = io.ReadAll(w.reader)
		require.ErrorContains(t, err, "reset")
	})
}

// Clients open connections in advance. An unused one does not delay the service's shutdown.
func TestShutdownBesideAnUnusedConnection(t *testing.T) {
	t.Parallel()
	withTLS, client := lentTLS()
	for name, security := range map[string]*tls.Config{"plain": nil, "TLS": withTLS} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var cut bytes.Buffer
			service, err := refserver.New(refserver.Config{
				Bounds: refserver.Bounds{StopTimeout: time.Second}, // net/http alone would take five
				Log:    slog.New(slog.NewTextHandler(&cut, nil)),
			})
			require.NoError(t, err)
			listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
			require.NoError(t, err)
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- service.Serve(ctx, listener, security) }()
			silent, err := (&net.Dialer{}).DialContext(ctx, "tcp", listener.Addr().String())
			require.NoError(t, err)
			defer silent.Close()
			if security != nil {
				silent = tls.Client(silent, client)
				require.NoError(t, silent.(*tls.Conn).HandshakeContext(t.Context()))
			}
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String()+"/healthz", nil)
			require.NoError(t, err)
			transport := &http.Transport{TLSClientConfig: client}
			defer transport.CloseIdleConnections()
			if security != nil {
				request.URL.Scheme = "https"
			}
			answer, err := transport.RoundTrip(request) // so that the one before is accepted
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			stop()
			require.NoError(t, <-done)
			require.Empty(t, cut.String())
			_, err = silent.Read(make([]byte, 1))
			require.Error(t, err)
			require.NoError(t, service.Close())
		})
	}
}
