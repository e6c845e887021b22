package server_test

import (
	"io"
	"net"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
)

var (
	statusLine = regexp.MustCompile(`(?m)^HTTP/1\.[01] (\d{3}) `)
	plainType  = regexp.MustCompile(`(?mi)^content-type: *text/(plain|html)`)
)

// FuzzConnection sends any bytes to the service. What comes back are answers of HTTP, none of them plain text or HTML, and
// none a failure of the service: 501 and 505 are what HTTP calls a request that asks for too much.
func FuzzConnection(f *testing.F) {
	for _, bytes := range []string{
		"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /healthz HTTP/1.1\r\n\r\n",
		"HEAD / HTTP/1.0\r\n\r\n",
		"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\nGET * HTTP/1.1\r\nHost: a\r\n\r\n",
		"POST /accounts/v1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2, 2\r\n\r\n{}",
		"POST " + tokenPath + " HTTP/1.1\r\nHost: a\r\nAuthorization: Basic c2FuZGJveDpzYW5kYm94LXNlY3JldA==\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"POST " + tokenPath + " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
		"POST " + tokenPath + " HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 200-ok\r\n\r\n{",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
		"GET http://[::1]:80/x?y#z HTTP/1.1\r\nHost: [\r\n\r\n",
		"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n",
		"get / HTTP/9.9\r\nHost: a\r\n\r\n",
		"\x16\x03\x01\x00\x05hello",
		"\r\n\r\nGET / HTTP/1.1\nHost: a\n\n",
		"",
	} {
		f.Add([]byte(bytes))
	}
	a := run(f, refserver.Config{})
	for _, seed := range []string{
		"GET /healthz HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n",
		"POST /identity/auth/tokens/v1 HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		w := a.dial(t).raw(string(bytes))
		require.NoError(t, w.Conn.(*net.TCPConn).CloseWrite())
		answers, _ := io.ReadAll(w.reader) // it may end with a reset
		for _, status := range statusLine.FindAllSubmatch(answers, -1) {
			require.True(t, status[1][0] < '5' || string(status[1]) == "501" || string(status[1]) == "505", "%q", answers)
		}
		require.NotRegexp(t, plainType, string(answers))
		if len(answers) > 0 {
			require.Zero(t, statusLine.FindIndex(answers)[0], "%q", answers)
		}
	})
}
