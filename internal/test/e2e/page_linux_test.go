package e2e

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/png"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/testkit"
)

// pageLink matches the link to the page that a service prints.
var pageLink = regexp.MustCompile(`http://127\.0\.0\.1:\d+/#pages\.\S+`)

// startPage starts a service and returns a session of its client and the link that the service prints.
func startPage(t *testing.T, flags ...string) (s servedSession, link string) {
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

// A developer sees a failed request, returns a payment and rejects an identity check, all by clicks.
func TestPageByClicks(t *testing.T) { inEachBrowser(t, pageByClicks) }

func pageByClicks(t *testing.T, browser string) {
	s, link := startPage(t, "--fault", "listAccounts=status:503,times:1", "--settle-delay", "1h")
	b := openTab(t, browser)
	b.visit(link)
	b.see("#empty", "No requests yet.")
	require.Equal(t, "", b.eval("location.hash"), "the token leaves the address bar")

	account := s.must("accounts", "create", "--type", "individual", "--first-name", "Ada", "--last-name", "Lovelace",
		"--email", "ada@example.com", "--country", "GB", "--jq", ".id")
	b.see("td", "createAccount")
	require.Error(t, s.command("accounts", "list", "--retries", "0").Run())
	b.click("td", "503")
	b.see("#detail dd", "listAccounts=status:503")
	b.see("#detail pre", "/problems/unavailable")
	b.click("#detail button", "Copy as curl")
	b.see("#detail pre", "curl -sS -X 'GET' '"+strings.Split(link, "/#")[0]+"''/accounts/v1?limit=")
	b.click("tr", "createAccount")
	b.see("#detail pre", `"email": "ada@example.com"`)
	b.click("#detail button", "Copy as payctl")
	b.see("#detail pre", "| payctl api --input - -- 'POST' '/accounts/v1'")

	const clock = `document.getElementById("now").textContent`
	before := b.await(clock)
	b.click("#clock button", "+1 hour")
	b.await(fmt.Sprintf("%s > %q", clock, before))
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
	require.Equal(t, "returned", s.must("transfer", "get", transfer, "--jq", ".state"))
	if testkit.Updating() && browser == "chromium" {
		picture(t, b, "page-transfer.png")
	}

	b.click("nav button", "Accounts")
	b.click("td", "Ada Lovelace")
	b.click("#detail button", "→ rejected")
	b.see("#detail dd", "rejected")
	require.Equal(t, "rejected", s.must("kyc", "get", account, "--jq", ".status"))

	// The page does not show its own requests, and faults do not apply to them.
	b.click("nav button", "Requests")
	require.False(t, b.eval(`document.querySelector("tbody").textContent.includes("listEvents")`).(bool))
	b.click("td", "createAutoTransfer")

	// The world of another client is chosen by its name.
	bob := s.with([]string{"PAYCTL_CLIENT_ID=bob", "PAYCTL_CLIENT_SECRET=secret"}...).command("routes", "list")
	require.NoError(t, bob.Run())
	b.await(`document.getElementById("client").options.length === 2`)
	choose := `(() => { const c = document.getElementById("client");
		c.selectedIndex = 1 - c.selectedIndex; c.dispatchEvent(new Event("change")) })()`
	b.eval(choose)
	b.see("td", "selectRoutes")
	b.await(`document.getElementById("client").selectedOptions[0]?.textContent === "bob"`)
	b.eval(choose)
	b.see("td", "createAutoTransfer")
	for _, secret := range []string{s.must("auth", "token"), "sandbox-secret", "DE89370400440532013000"} {
		require.NotContains(t, b.eval("JSON.stringify(requests)"), secret)
	}

	// The keyboard does what clicks do.
	b.press("Escape", "")
	b.await(`document.getElementById("detail").hidden`)
	b.press("/", "/")
	b.press("z", "z")
	b.await(`document.getElementById("filter").value === "z"`)
	b.await(`[...document.querySelectorAll("tbody tr")].some(r => r.hidden)`)
	b.press("Escape", "")
	b.press("3", "3")
	b.see("td", "invoice-42")
	b.press("ArrowDown", "")
	b.press("Enter", "\r")
	b.see("#detail h2", "invoice-42")
	b.click("#reset", "Reset")
	b.click("#reset", "sure?")
	b.see("#empty", "No transfers yet.")
}

// picture saves a screenshot of the tab for the documents. It has few colours, to keep the file small.
func picture(t *testing.T, b *tab, name string) {
	t.Helper()
	b.do(chromedp.EmulateViewport(1120, 560))
	defer b.do(chromedp.EmulateViewport(1280, 760))
	shown, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	all, err := png.Decode(bytes.NewReader(shown))
	require.NoError(t, err)
	few := image.NewPaletted(all.Bounds(), palette.WebSafe)
	for grey := range 16 {
		few.Palette = append(few.Palette, color.Gray{Y: uint8(grey * 17)})
	}
	draw.Draw(few, few.Bounds(), all, all.Bounds().Min, draw.Src)
	var small bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, few))
	require.NoError(t, os.WriteFile(filepath.Join("../../../docs/pictures", name), small.Bytes(), 0o600))
}

// hostileTexts would run a script, load something or leave their element if a page did not treat them as text.
var hostileTexts = []string{
	`<script>pwned=1</script>`, `<img src=x onerror=pwned=1>`, `<svg onload=pwned=1>`, `"><script>pwned=1</script>`,
	`'><img src=x onerror=pwned=1>`, `</script><script>pwned=1</script>`, `</style><script>pwned=1</script>`,
	`</title><script>pwned=1</script>`, `</textarea><script>pwned=1</script>`, `--><script>pwned=1</script>`,
	`]]><script>pwned=1</script>`, `<!--<script>pwned=1//`, `<a href="javascript:pwned=1">x</a>`, `javascript:pwned=1`,
	`<iframe srcdoc="<script>parent.pwned=1</script>">`, `<object data="javascript:pwned=1">`, `<embed src="javascript:pwned=1">`,
	`<body onload=pwned=1>`, `<details open ontoggle=pwned=1>`, `<input autofocus onfocus=pwned=1>`, `<style>@import'//evil.test'</style>`,
	`<base href="//evil.test/">`, `<meta http-equiv=refresh content="0;url=//evil.test">`, `<form action=//evil.test><button>x`,
	`<link rel=stylesheet href=//evil.test>`, `<math><mi xlink:href="javascript:pwned=1">`, `<template><script>pwned=1</script></template>`,
	"\u202eevil\u2066<script>pwned=1</script>", `${pwned=1}{{pwned=1}}`, "';pwned=1;'\\u003cscript>pwned=1\\u003c/script>",
}

// The page and the report of the run show texts of clients that look like HTML or a script as plain text, wherever a
// client can put one.
func TestPageShowsHostileTextsAsTexts(t *testing.T) { inEachBrowser(t, pageShowsHostileTextsAsTexts) }

func pageShowsHostileTextsAsTexts(t *testing.T, browser string) {
	report := filepath.Join(t.TempDir(), "report.html")
	s, link := startPage(t, "--report", report)
	token := s.must("auth", "token")
	base := strings.Split(link, "/#")[0]
	send := func(method, path string, body map[string]any) {
		text, err := json.Marshal(body)
		require.NoError(t, err)
		r, err := http.NewRequestWithContext(t.Context(), method, base+path, bytes.NewReader(text))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", rand.Text())
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
	}
	for i, text := range hostileTexts {
		fields := map[string]any{
			"type": "individual", "firstName": text, "lastName": text, "email": fmt.Sprintf("a%d@example.com", i),
			"country": "GB", "externalId": text, "metadata": map[string]string{"note": text},
		}
		send("POST", "/accounts/v1", fields)
		send("POST", "/contacts/saved/v1", map[string]any{"label": text, "holderName": text, text: text})
		send("GET", "/transfers/"+url.PathEscape(text)+"/v1?reference="+url.QueryEscape(text), nil)
	}
	send("--GET|sh", "/accounts/v1", nil)
	account := s.must("accounts", "list", "--limit", "1", "--jq", ".[0].id")
	s.must("sandbox", "clock", "+1h")
	require.NoError(t, s.command("sandbox", "kyc", account, "rejected", hostileTexts[1]).Run())

	b := openTab(t, browser)
	harmless := func(views ...string) {
		for _, view := range views {
			b.click("nav button", view)
			b.await(`document.querySelector("tbody tr") !== null`)
			texts := b.eval(`(async () => { let all = ""; for (const row of [...document.querySelectorAll("tbody tr")]) {
				await show(row.item); all += row.textContent + document.getElementById("detail").textContent; } return all; })()`)
			for _, text := range hostileTexts[:2] {
				require.Contains(t, texts, text, view)
			}
		}
		require.Equal(t, "undefined", b.eval("typeof pwned"))
		require.Zero(t, b.eval(`document.querySelectorAll(
			"main script, main img, main iframe, main svg, main style, main a[href^=java]").length`))
	}
	b.visit(link)
	b.see("td", "createSavedContact")
	harmless("Requests", "Accounts")
	require.NoError(t, s.service.Process.Signal(os.Interrupt))
	require.NoError(t, s.service.Wait())
	b.visit("file://" + report)
	b.see("#title", "report of a run")
	harmless("Requests")
	for _, make := range []string{"asCurl", "asPayctl"} {
		command := b.eval(make + `(requests.find((r) => r.method.includes("|")))`).(string)
		const tools = `curl() { printf '%s ' "$@"; }; payctl() { curl "$@"; }; `
		shown, _ := exec.CommandContext(t.Context(), "sh", "-c", tools+command).Output()
		require.Contains(t, string(shown), " --GET|sh ", command)
	}
	b.click("nav button", "Coverage")
	b.see("td", "never asked for")
}
