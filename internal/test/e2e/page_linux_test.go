package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/golden"
)

// pageLink is the link to the page that a service prints.
var pageLink = regexp.MustCompile(`http://127\.0\.0\.1:\d+/#pages\.\S+`)

// startPage starts a service and returns a session of its client and the link that the service has printed.
func startPage(t *testing.T, flags ...string) (s *session, link string) {
	t.Helper()
	s, _, log := startLogged(t, flags...)
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(log)
		require.NoError(t, err)
		link = pageLink.FindString(string(text))
		return link != ""
	}, longestWait, 10*time.Millisecond)
	return s, link
}

// A developer sees a request that failed, rejects an identity check and has a payment returned, by nothing but clicks.
func TestPageByClicks(t *testing.T) {
	t.Parallel()
	s, link := startPage(t, "--fault", "listAccounts=status:503,times:1", "--settle-delay", "1h")
	b := openTab(t, 1280, 760, names(""))
	b.visit(link)
	b.see("#empty", "No requests yet.")
	require.Equal(t, "", b.eval("location.hash"), "the token leaves the address bar")

	account := s.output("accounts", "create", "--type", "individual", "--first-name", "Ada", "--last-name", "Lovelace",
		"--email", "ada@example.com", "--country", "GB", "--jq", ".id")
	b.see("td", "createAccount")
	require.Error(t, s.command(nil, "accounts", "list", "--retries", "0").Run())
	b.click("td", "503")
	b.see("#detail dd", "listAccounts=status:503")
	b.see("#detail pre", "/problems/unavailable")
	b.click("#detail button", "Copy as curl")
	b.see("#detail pre", "curl -sS -X GET '"+strings.Split(link, "/#")[0]+"''/accounts/v1?limit=")
	b.click("tr", "createAccount")
	b.see("#detail pre", `"email": "ada@example.com"`)
	b.click("#detail button", "Copy as payctl")
	b.see("#detail pre", "| payctl api POST '/accounts/v1' --input -")

	b.click("#clock button", "+1 hour")
	b.click("nav button", "Accounts")
	b.see("td", "approved")
	transfer := s.pay(account, "Grace", "250", "invoice-42")
	b.click("nav button", "Transfers")
	b.click("td", "invoice-42")
	for _, state := range []string{"funds_received", "payment_submitted", "returned"} {
		b.click("#detail button", "→ "+state)
		b.see("#detail dd", state)
	}
	b.see("#detail dd", "account_closed")
	b.see("#detail li", "returned")
	require.Equal(t, "returned", s.output("transfer", "get", transfer, "--jq", ".state"))
	picture(t, b, "page-transfer.png")

	b.click("nav button", "Accounts")
	b.click("td", "Ada Lovelace")
	b.click("#detail button", "→ rejected")
	b.see("#detail dd", "rejected")
	require.Equal(t, "rejected", s.output("kyc", "get", account, "--jq", ".status"))

	// The page's own requests are not among those of the program, and met none of its faults.
	b.click("nav button", "Requests")
	require.Zero(t, b.eval(`[...document.querySelectorAll("tbody tr")].filter(r => r.textContent.includes("listEvents")).length`))
	b.click("td", "createAutoTransfer")
	picture(t, b, "page-requests.png")

	// The keyboard does what clicks do.
	b.press("Escape", "")
	b.await(`document.getElementById("detail").hidden`)
	b.press("/", "")
	b.press("5", "5")
	b.await(`[...document.querySelectorAll("tbody tr")].some(r => r.hidden)`)
	b.press("Escape", "")
	b.press("3", "")
	b.see("td", "invoice-42")
	b.press("ArrowDown", "")
	b.press("Enter", "\r")
	b.see("#detail h2", "invoice-42")
	b.click("#reset", "Reset")
	b.click("#reset", "sure?")
	b.see("#empty", "No transfers yet.")
	require.Empty(t, b.errors)
}

// picture keeps what the tab shows as a picture of the documents, where golden files are rewritten.
func picture(t *testing.T, b *tab, name string) {
	t.Helper()
	if golden.Updating() {
		require.NoError(t, os.WriteFile(filepath.Join("../../../docs/pictures", name), b.picture(), 0o600))
	}
}
