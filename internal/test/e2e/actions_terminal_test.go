//go:build !windows

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/ui"
)

// resubmitting makes an account that has to submit its document again.
func (s *session) resubmitting() string {
	s.t.Helper()
	account := s.createAccount("rob+kyc-resubmission@example.com")
	s.must("kyc", "watch", account, "--until", "resubmission_required")
	return account
}

// proxied serves a service, except for the requests that the function takes.
func proxied(t *testing.T, service string, takes func(w http.ResponseWriter, r *http.Request) bool) string {
	t.Helper()
	target, err := url.Parse(service)
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, FlushInterval: -1}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !takes(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(server.Close)
	return server.URL
}

// TestReplyIsCopied: y copies what a person is told about a case, without its name unless personal data is shown. What
// a hostile service sends controls neither the terminal nor the reader, and a link that does not lead to where it seems
// to lead is left out.
func TestReplyIsCopied(t *testing.T) {
	t.Parallel()
	var link atomic.Value
	s := newSession(t, proxied(t, serve(t), func(w http.ResponseWriter, r *http.Request) bool {
		text := link.Load()
		if text == nil || !strings.HasSuffix(r.URL.Path, "/kyc/v1") {
			return false
		}
		quoted, _ := json.Marshal(text)
		evilText, _ := json.Marshal("\x1b[2J\x1b]0;title\x07\x1b]52;c;aGk=\x07\r\nacc_forged\u202egnp.\u200b\u0085\u2028")
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"accountId":%[3]q,"status":"resubmission_required","level":"basic","attempt":1,"reasons":[{"code":%[2]s,"message":%[2]s}],`+
			`"requirements":[{"name":%[2]s,"status":"open"}],"verificationUrl":%[1]s,"updatedAt":"2026-01-01T00:00:00Z"}`, quoted, evilText, strings.Split(r.URL.Path, "/")[2])
		return true
	}))
	account := s.resubmitting()
	l := s.open(100, 24, nil, "kyc", "watch", "--all")
	copied := 0
	take := func() string {
		l.see(selects)
		l.Press("y")
		copied++
		text := l.clipboard(copied)
		l.see("Sent the reply")
		l.Press("k")
		l.gone("Sent the reply")
		return text
	}
	reply := take()
	for _, part := range []string{
		"Hello,\n", "your account " + account + " needs corrected information from you, since ",
		"- The picture of the identity document cannot be read.", "- Upload your identity document, by ", "https://verify.payctl.example/" + account,
	} {
		require.Contains(t, reply, part)
	}
	require.NotContains(t, reply, "Ada")
	l.Press("P")
	l.see("Personal data is shown")
	require.Contains(t, take(), "Hello Ada ")
	for _, text := range []string{
		"file:///etc/passwd", "javascript:alert(1)", "https://good.example@evil.test/", "https://xn--pple-43d.test/", "https://a.test/\x1b]0;x\x07",
	} {
		link.Store(text)
		reply := take()
		require.Equal(t, ui.SanitizeLines(reply), reply)
		require.NotContains(t, reply, "You can do this here", text)
	}
	require.NotContains(t, l.Wrote(), "\x1b]0;title")
	require.Zero(t, l.quit())
}

// Deadlines and ages are by the service's clock, also when that of a sandbox was moved, and while a view is open.
func TestDeadlinesAreByTheServicesClock(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	s.resubmitting()
	l := s.open(120, 24, nil, "kyc", "watch", "--all")
	l.see(`13d left`)
	s.must("sandbox", "clock", "+13d")
	s.must("accounts", "create", "--type", "individual", "--first-name", "A", "--last-name", "B", "--email", "b@example.com", "--country", "GB")
	l.see(`23h left`)
	require.Zero(t, l.quit())
	l = s.open(120, 24, nil, "kyc", "watch", "--all")
	l.see(`23h left .* 13d00h`)
	require.Zero(t, l.quit())
}
