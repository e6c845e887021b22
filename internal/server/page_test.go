package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// The token of a page reads the world of its client, and does what the page offers. It is refused elsewhere, leaves nothing in
// the log, and knows of other clients only if the operator of the service has it.
func TestTokensOfThePage(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Local: true})
	bob := a.as("bob")
	pagesOf := func(token string) (found []string, own string) {
		list := good[payments.SandboxPages](a.do("GET", "/sandbox/pages/v1", "", "Authorization", "Bearer "+token)).Pages
		for _, page := range list {
			found = append(found, page.ClientID)
		}
		_, own, _ = strings.Cut(list[0].URL, "#")
		return found, own
	}
	clients, token := pagesOf(bob.token)
	require.Equal(t, []string{"bob"}, clients)
	clients, again := pagesOf(token)
	require.Equal(t, []string{"bob"}, clients)
	require.Equal(t, token, again)
	_, operators, _ := strings.Cut(a.HTTP.PageURL(a.URL, paytest.ClientID), "#")
	clients, _ = pagesOf(operators)
	require.Equal(t, []string{paytest.ClientID, "bob"}, clients)

	page := *bob
	page.token = token
	bob.do("POST", accountsPath, adaBody)
	log := a.as("bob").do("GET", requestsPath, "").body
	require.Len(t, good[payments.AccountPage](page.do("GET", accountsPath, "")).Data, 1)
	good[payments.SandboxClock](page.do("POST", advancePath, `{"duration":"1h"}`))
	requireProblem(t, page.do("POST", accountsPath, adaBody), payments.KindUnauthenticated)
	requireProblem(t, page.do("GET", contactsPath, ""), payments.KindUnauthenticated)
	requireProblem(t, page.do("GET", snapshotPath, ""), payments.KindUnauthenticated)
	requireProblem(t, page.do("GET", accountsPath, "", "Sec-Fetch-Site", "cross-site"), payments.KindUnauthenticated)
	requireProblem(t, page.do("GET", accountsPath, "", "Origin", "http://127.0.0.1:1"), payments.KindUnauthenticated)
	require.Equal(t, log, page.do("GET", requestsPath, "").body)
	for _, forged := range []string{
		strings.Replace(token, "page.", "pages.", 1), token[:len(token)-1], token + "A", strings.Replace(token, ".", "..", 1),
		strings.Replace(operators, "pages.", "page.", 1), "page..", strings.Replace(token, "page.", "page.A", 1),
	} {
		requireProblem(t, a.do("GET", accountsPath, "", "Authorization", "Bearer "+forged), payments.KindUnauthenticated)
	}
}

// Browsers get the page, programs what they got before; without the sandbox, and beyond this machine, everyone does.
func TestWhoGetsThePage(t *testing.T) {
	t.Parallel()
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	hosts := []string{"example.com"} // that of httptest
	for name, config := range map[string]refserver.Config{
		"": {Local: true, Hosts: hosts}, "without the sandbox": {Local: true, Hosts: hosts, NoSandbox: true}, "beyond this machine": {},
	} {
		ask := within(t, config)
		for path, accept := range map[string]string{"/": browser, "/page.js": "*/*", "/page.css": "text/css,*/*;q=0.1"} {
			answer := ask("GET", path, "", "Accept", accept)
			if name != "" {
				require.Equal(t, http.StatusNotFound, answer.Code, name)
				continue
			}
			require.Equal(t, http.StatusOK, answer.Code)
			require.Contains(t, answer.Header().Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'; ")
			require.Equal(t, "no-referrer", answer.Header().Get("Referrer-Policy"))
			require.Equal(t, "same-origin", answer.Header().Get("Cross-Origin-Resource-Policy"))
		}
		for _, accept := range []string{"", "*/*", "application/json", "text/html;q=0.5, */*"} {
			require.Equal(t, http.StatusNotFound, ask("GET", "/", "", "Accept", accept).Code, accept)
		}
		require.Equal(t, http.StatusNotFound, ask("POST", "/", "", "Accept", browser).Code)
	}
}
