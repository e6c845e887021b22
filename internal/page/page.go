// Package page is the page on which a person looks at a world of the reference service, and the report of a run that looks
// like it. The page has no state: its script asks the service for everything, by operations of the contract.
package page

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

//go:embed page.html page.css page.js page.svg
var files embed.FS

// types are the media types of the files that make the page, by their paths at the service.
var types = map[string]string{
	"/": "text/html; charset=utf-8", "/page.css": "text/css; charset=utf-8", "/page.js": "text/javascript; charset=utf-8",
	"/page.svg": "image/svg+xml",
}

// Policy is the Content-Security-Policy of the page. It lets the page use nothing but this service, and no page show it in
// a frame. It also lets no text become HTML (trusted types).
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"

// File returns a file of the page by its path at the service; an empty media type if there is none.
func File(path string) (mediaType string, content []byte) {
	mediaType = types[path]
	switch {
	case path == "/":
		return mediaType, []byte(strings.Replace(read("page.html"), "null", data(nil), 1))
	case mediaType != "":
		return mediaType, []byte(read(path[1:]))
	}
	return "", nil
}

// read returns an embedded file.
func read(name string) string {
	content, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is built in
	}
	return string(content)
}

// A Run is what a report shows of a service from its start to its end.
type Run struct {
	Version  string                    `json:"version"`
	Coverage any                       `json:"coverage"`
	Requests []payments.SandboxRequest `json:"requests"` // the latest, newest first
}

// data is what the page knows without asking: where each state can go, and the run of a report.
func data(run *Run) string {
	kyc, transfers := payments.Transitions()
	text, err := json.Marshal(map[string]any{"kyc": kyc, "transfers": transfers, "run": run},
		json.Deterministic(true), jsontext.EscapeForHTML(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // nothing of it can fail to be encoded
	}
	return string(text)
}

// Report returns the page about a run, as one file that needs no service.
func Report(run Run) []byte {
	script, style := read("page.js"), read("page.css")
	return []byte(strings.NewReplacer(
		`<link rel="icon" href="/page.svg">`, `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; `+
			"script-src "+source(script)+"; style-src "+source(style)+`; base-uri 'none'; form-action 'none'">`,
		`<link rel="stylesheet" href="/page.css">`, "<style>"+style+"</style>",
		`<script src="/page.js"></script>`, "<script>"+script+"</script>",
		"null", data(&run),
	).Replace(read("page.html")))
}

// source names a script or style in a Content-Security-Policy by its hash.
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// A Key makes the tokens of a service's page. It lives as long as the service. A token is for the page about one client;
// with All it also lists the pages about all others.
type Key [32]byte

const (
	one = "page"
	all = "pages"
)

// Token returns the token for the page about a client.
func (k Key) Token(client string, others bool) string {
	kind := one
	if others {
		kind = all
	}
	named := kind + "." + base64.RawURLEncoding.EncodeToString([]byte(client))
	return named + "." + k.sign(named)
}

// Read returns the client of a token, unless the key did not make it.
func (k Key) Read(token string) (client string, others, ok bool) {
	end := strings.LastIndexByte(token, '.')
	if end < 0 || !hmac.Equal([]byte(token[end+1:]), []byte(k.sign(token[:end]))) {
		return "", false, false
	}
	kind, encoded, _ := strings.Cut(token[:end], ".")
	id, err := base64.RawURLEncoding.DecodeString(encoded)
	return string(id), kind == all, err == nil
}

func (k Key) sign(text string) string {
	mac := hmac.New(sha256.New, k[:])
	mac.Write([]byte(text))
	const enough = 16 // bytes, which nobody guesses, so that a link fits into a line of a terminal
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:enough])
}
