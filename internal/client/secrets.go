package client

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// leastCredential is the length in bytes from which a credential is looked for in everything that a service says. Shorter ones
// would be found in innocent data; what is logged and told of the call that sends them is kept free of them all the same.
const leastCredential = 8

// Secrets are the credentials that a process knows: those that it was given, read or fetched. No service's answer gets past a
// Client with one of them in it, so that nothing that is printed, logged or kept from an answer has them. It is safe for
// concurrent use; the zero value holds none.
type Secrets struct {
	mu    sync.Mutex
	known []string
	forms *finder // of known, made when first needed; nil: to be made
}

// Add makes texts known. Those that are too short to be told from innocent data are passed over.
func (s *Secrets) Add(texts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range texts {
		if len(text) >= leastCredential && !slices.Contains(s.known, text) {
			s.known, s.forms = append(s.known, text), nil
		}
	}
}

// Redact takes every secret out of a text, in each form that it may have there.
func (s *Secrets) Redact(text string) string { return s.redactor().text(text) }

func (s *Secrets) redactor() redactor {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.forms == nil {
		s.forms = newFinder(formsOf(s.known))
	}
	return redactor{secrets: s.forms}
}

// formsOf lists secrets in the forms in which texts have them, the longest first, since one may be part of another.
func formsOf(secrets []string) []string {
	forHTML := strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`) // as many write JSON
	all := []string{}
	for _, secret := range secrets {
		if len(secret) < leastSecret {
			continue
		}
		quoted, _ := jsontext.AppendQuote(nil, secret)
		inJSON := string(quoted[1 : len(quoted)-1])
		all = append(all, secret, inJSON, forHTML.Replace(inJSON), html.EscapeString(secret))
		all = append(all, perByte(secret, "%%%02X"), perByte(secret, "%%%02x"), perByte(secret, "%02x"), perByte(secret, "%02X"))
		all = append(all, perByte(secret, `\u%04x`), perByte(secret, `\u%04X`))
		for _, escaped := range []string{url.QueryEscape(secret), url.PathEscape(secret)} {
			all = append(all, escaped, lowerEscapes(escaped))
		}
		all = append(all, inBase64(secret)...)
	}
	slices.SortFunc(all, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(all)
}

func perByte(text, format string) string {
	var b strings.Builder
	for _, octet := range []byte(text) {
		fmt.Fprintf(&b, format, octet)
	}
	return b.String()
}

// lowerEscapes writes %2F as %2f.
func lowerEscapes(text string) string {
	b := []byte(text)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i:], bytes.ToLower(b[i:i+3]))
		}
	}
	return string(b)
}

// inBase64 is what is common to the base64 of all texts that a secret is part of, in both alphabets (RFC 4648 sections 4 and
// 5): one for each way that it can lie across groups of three bytes. Basic credentials are such a text.
func inBase64(secret string) (cores []string) {
	const least = 8 // characters
	for before := range 3 {
		text := base64.StdEncoding.EncodeToString(append(make([]byte, before), secret...))
		// A character holds six bits: what shares one with what stands before or behind says something else each time.
		from, to := (8*before+5)/6, (8*(before+len(secret)))/6
		if core := text[from:to]; len(core) >= least {
			cores = append(cores, core, strings.NewReplacer("+", "-", "/", "_").Replace(core))
		}
	}
	return cores
}

// strip takes credentials out of an answer.
func (d redactor) strip(answer *Response) {
	answer.Body = d.stripBody(answer.Body)
	answer.Line = d.text(answer.Line)
	d.stripHeader(answer.Header)
}

func (d redactor) stripHeader(header http.Header) {
	if !d.isInHeader(header) { // hardly any answer has a credential
		return
	}
	for name, values := range header {
		plain := d.text(name)
		for i, value := range values {
			values[i] = d.text(value)
		}
		if plain != name {
			delete(header, name)
			header[plain] = values
		}
	}
}

func (d redactor) isInHeader(header http.Header) bool {
	for name, values := range header {
		if holds(d.secrets, name) {
			return true
		}
		for _, value := range values {
			if holds(d.secrets, value) {
				return true
			}
		}
	}
	return false
}

// stripBody takes credentials out of a body, which stays JSON where it was.
func (d redactor) stripBody(body []byte) []byte {
	found := holds(d.secrets, body)
	isJSON := looksLikeJSON(body)
	if !found && !(isJSON && bytes.IndexByte(body, '\\') >= 0) { // in JSON any character may be escaped
		return body
	}
	if isJSON {
		if text, changed, whole := d.rewrite(body, false); whole {
			if changed {
				return []byte(text)
			}
			return body
		}
	}
	if !found {
		return body
	}
	return []byte(d.text(string(body)))
}
