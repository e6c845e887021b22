package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/payments"
)

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
