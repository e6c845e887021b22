package server

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// newPageKey returns the key of the page's tokens. Nil means that there is no page: the service has other machines as
// clients, or no sandbox.
func newPageKey(config Config) *pageTokenKey {
	if !config.Local || config.NoSandbox {
		return nil
	}
	key := &pageTokenKey{}
	_, _ = rand.Read(key[:]) // it never fails
	return key
}

// PageURL returns the address of a client's page, which also links to all others. It is empty without a page. Base is
// the URL of the service.
func (s *Server) PageURL(base, client string) string {
	if s.pageKey == nil {
		return ""
	}
	return base + "/#" + s.pageKey.Token(client, true)
}

// servePage answers a browser that asks for a file of the page. Programs that ask for / get a problem.
func (x *exchange) servePage() (served bool) {
	if x.server.pageKey == nil || x.r.Method != http.MethodGet && x.r.Method != http.MethodHead {
		return false
	}
	mediaType, content := pageFile(x.r.URL.Path)
	accept := x.r.Header.Get("Accept")
	if mediaType == "" || x.r.URL.Path == "/" && quality(accept, "text/html") <= quality(accept, mediaProblem) {
		return false
	}
	x.ofPage = true
	header := x.w.Header()
	header.Set("Content-Security-Policy", pagePolicy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header["Cache-Control"] = noCache
	_ = x.send(http.StatusOK, []string{mediaType}, content) // the browser may be gone
	return true
}

// pageOperations are the operations of the page. It reads, advances the clock, moves checks and transfers, and resets
// the world.
var pageOperations = []*contract.Operation{
	&contract.ListAccounts, &contract.GetAccount, &contract.GetKYCStatus, &contract.ListTransfers, &contract.GetTransfer,
	&contract.ListEvents, &contract.GetSandboxClock, &contract.ListSandboxRequests, &contract.ListSandboxPages,
	&contract.AdvanceSandboxClock, &contract.SetSandboxKYC, &contract.SetSandboxTransferState, &contract.ResetSandbox,
}

// openPageSession opens the session of a token of the page. Its requests have no faults and no limits, are not counted,
// and are not logged.
func (x *exchange) openPageSession() (is bool, err error) {
	if x.server.pageKey == nil {
		return false, nil
	}
	client, others, ok := x.server.pageKey.Read(x.token)
	if !ok {
		return false, nil
	}
	site, origin := x.r.Header.Get("Sec-Fetch-Site"), x.r.Header.Get("Origin")
	if site != "" && site != "same-origin" || origin != "" && origin != x.baseURL() ||
		!slices.Contains(pageOperations, x.op) {
		return true, invalidToken(payments.NewProblem(payments.ProblemUnauthenticated,
			"The token is for the service's own page, and for what it does."))
	}
	x.ofPage, x.allPages = true, others
	world, err := x.server.config.Identity.WorldOf(x.ctx, client)
	if err != nil {
		return true, err
	}
	x.session = Session{World: world, Instance: world.Instance(), Now: world.Now()}
	for _, op := range pageOperations {
		x.session.Scopes = append(x.session.Scopes, op.Scope)
	}
	return true, nil
}

// listSandboxPages answers with the page of the client, or with all pages if the token is for all.
func (x *exchange) listSandboxPages() error {
	found, err := x.session.World.ListSandboxPages(x.ctx)
	if err != nil {
		return err
	}
	switch {
	case x.server.pageKey == nil:
		found.Pages = found.Pages[:0]
	case !x.allPages:
		found.Pages = found.Pages[:1]
	}
	for i := range found.Pages {
		p := &found.Pages[i]
		p.URL = x.baseURL() + "/#" + x.server.pageKey.Token(p.ClientID, x.allPages)
	}
	return x.reply(found, nil)
}

//go:embed page
var pageFiles embed.FS

// pageTypes are the media types of the files that make the page, by their paths at the service.
var pageTypes = map[string]string{
	"/": "text/html; charset=utf-8", "/page.css": "text/css; charset=utf-8", "/page.js": "text/javascript; charset=utf-8",
	"/page.svg": "image/svg+xml",
}

// pagePolicy is the Content-Security-Policy of the page. It lets the page use nothing but this service, and no page
// show it in a frame. It also lets no text become HTML (trusted types).
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"

// pageFile returns a file of the page by its path at the service; an empty media type if there is none.
func pageFile(path string) (mediaType string, content []byte) {
	mediaType = pageTypes[path]
	switch {
	case path == "/":
		return mediaType, []byte(strings.Replace(readPageFile("page.html"), "null", pageData(nil), 1))
	case mediaType != "":
		return mediaType, []byte(readPageFile(path[1:]))
	}
	return "", nil
}

// readPageFile returns an embedded file.
func readPageFile(name string) string {
	content, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		panic(err) // it is built in
	}
	return string(content)
}

// A PageRun is what a report shows of a service from its start to its end.
type PageRun struct {
	Version  string                    `json:"version"`
	Coverage any                       `json:"coverage"`
	Requests []payments.SandboxRequest `json:"requests"` // the latest, newest first
}

// pageData is what the page knows without asking: where each state can go, and the run of a report.
func pageData(run *PageRun) string {
	kyc, transfers := payments.Transitions()
	text, err := json.Marshal(map[string]any{"kyc": kyc, "transfers": transfers, "run": run},
		json.Deterministic(true), jsontext.EscapeForHTML(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // nothing of it can fail to be encoded
	}
	return string(text)
}

// PageReport returns the page about a run, as one file that needs no service.
func PageReport(run PageRun) []byte {
	script, style := readPageFile("page.js"), readPageFile("page.css")
	return []byte(strings.NewReplacer(
		`<link rel="icon" href="/page.svg">`, `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; `+
			"script-src "+pageSource(script)+"; style-src "+pageSource(style)+`; base-uri 'none'; form-action 'none'">`,
		`<link rel="stylesheet" href="/page.css">`, "<style>"+style+"</style>",
		`<script src="/page.js"></script>`, "<script>"+script+"</script>",
		"null", pageData(&run),
	).Replace(readPageFile("page.html")))
}

// pageSource names a script or style in a Content-Security-Policy by its hash.
func pageSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// A pageTokenKey makes the tokens of a page. It lives as long as the service. A token is for the page about one client;
// with All it also lists the pages about all others.
type pageTokenKey [32]byte

const (
	onePage  = "page"
	allPages = "pages"
)

// Token returns the token for the page about a client.
func (k pageTokenKey) Token(client string, others bool) string {
	kind := onePage
	if others {
		kind = allPages
	}
	named := kind + "." + base64.RawURLEncoding.EncodeToString([]byte(client))
	return named + "." + k.sign(named)
}

// Read returns the client of a token, unless the key did not make it.
func (k pageTokenKey) Read(token string) (client string, others, ok bool) {
	end := strings.LastIndexByte(token, '.')
	if end < 0 || !hmac.Equal([]byte(token[end+1:]), []byte(k.sign(token[:end]))) {
		return "", false, false
	}
	kind, encoded, _ := strings.Cut(token[:end], ".")
	id, err := base64.RawURLEncoding.DecodeString(encoded)
	return string(id), kind == allPages, err == nil
}

func (k pageTokenKey) sign(text string) string {
	mac := hmac.New(sha256.New, k[:])
	mac.Write([]byte(text))
	const enough = 16 // bytes, which nobody guesses, so that a link fits into a line of a terminal
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:enough])
}
