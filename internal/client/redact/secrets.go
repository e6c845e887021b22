// Package redact removes credentials and personal data from texts before they are shown, logged or kept. It finds them
// by value, by form and by the name of their member.
package redact

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/textutil"
)

// Mark replaces a secret.
const Mark = "[redacted]"

// minKnown is the least length, in bytes, of a credential that is removed. Shorter ones occur in innocent data.
const minKnown = 8

// Secrets are the credentials that a process was given, has read or has fetched. It is safe for concurrent use. The
// zero value holds none.
type Secrets struct {
	mu      sync.Mutex
	texts   []string
	hidden  map[string]bool     // names of members that hold personal data at this service
	replace func(string) string // of texts; nil means not made yet
}

// Add adds credentials. It ignores texts that are too short to be told from innocent data.
func (s *Secrets) Add(texts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range texts {
		if len(text) >= minKnown && !slices.Contains(s.texts, text) {
			s.texts, s.replace = append(s.texts, text), nil
		}
	}
}

// Hide makes masks hide the values of members.
func (s *Secrets) Hide(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hidden == nil {
		s.hidden = map[string]bool{}
	}
	for _, name := range names {
		s.hidden[name] = true
	}
}

// Redact removes the secrets from a text.
func (s *Secrets) Redact(text string) string {
	s.mu.Lock()
	if s.replace == nil {
		s.replace = newReplacer(s.texts)
	}
	replace := s.replace
	s.mu.Unlock()
	return replace(text)
}

// Header removes the secrets from the values of header fields.
func (s *Secrets) Header(header map[string][]string) {
	for _, values := range header {
		for i, value := range values {
			values[i] = s.Redact(value)
		}
	}
}

// Body removes the secrets from a body. A JSON text stays a JSON text.
func (s *Secrets) Body(body []byte) []byte {
	plain := s.Redact(string(body))
	mayEscape := bytes.IndexByte(body, '\\') >= 0 // JSON may escape any character
	if looksLikeJSON(body) && (plain != string(body) || mayEscape) {
		shown, whole := rewrite(body, s.Redact, func(_ payments.Path, text string) string { return s.Redact(text) })
		if whole {
			return shown
		}
	}
	if plain == string(body) {
		return body
	}
	return []byte(plain)
}

// rewrite is payments.RewriteJSON, except that it returns the body itself if nothing changes.
func rewrite(
	body []byte, rename func(string) string, change func(payments.Path, string) string,
) (written []byte, whole bool) {
	changed := false
	written, whole = payments.RewriteJSON(body, func(was string) string {
		is := rename(was)
		changed = changed || is != was
		return is
	}, func(at payments.Path, was string) string {
		is := change(at, was)
		changed = changed || is != was
		return is
	})
	if whole && !changed {
		return body, true
	}
	return written, whole
}

// Mask returns a mask of the secrets, and of the personal data in the query and the body of a request.
func (s *Secrets) Mask(query url.Values, body []byte) Mask {
	m := Mask{s.Redact, map[string]bool{}, s.hidden}
	for name, values := range query {
		for _, value := range values {
			m.addWords(name, value)
		}
	}
	payments.RewriteJSON(body, strings.Clone, func(at payments.Path, text string) string {
		if at.Name() != "name" || !slices.Contains(at, "requirements") { // which an identity check names
			m.addWords(at.Name(), text)
		}
		return text
	})
	return m
}

// newReplacer replaces texts in each of their forms. One may be part of another, so the longest is replaced first.
func newReplacer(texts []string) func(string) string {
	var all []string
	for _, text := range texts {
		all = append(all, forms(text)...)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	all = slices.Compact(all)
	var pairs []string
	for _, form := range all {
		pairs = append(pairs, form, Mark)
	}
	replacer := strings.NewReplacer(pairs...)
	return func(text string) string {
		if !slices.ContainsFunc(all, func(form string) bool { return strings.Contains(text, form) }) {
			return text // as most do; searching for each form is much faster
		}
		return replacer.Replace(text)
	}
}

// forms lists the ways that services and proxies repeat a text: plain, escaped for JSON, HTML and URLs, in hexadecimal
// and in base64.
func forms(text string) []string {
	quoted, _ := jsontext.AppendQuote(nil, text)
	inJSON := string(quoted[1 : len(quoted)-1])
	forHTML := strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`) // as encoding/json writes them
	inHex := hex.EncodeToString([]byte(text))
	all := []string{text, inJSON, forHTML.Replace(inJSON), html.EscapeString(text), inHex, strings.ToUpper(inHex)}
	for _, escaped := range []string{url.QueryEscape(text), url.PathEscape(text)} {
		all = append(all, escaped, textutil.Regexp(`%[0-9A-F]{2}`).ReplaceAllStringFunc(escaped, strings.ToLower))
	}
	return append(all, inBase64(text)...)
}

// inBase64 lists what is common to the base64 of every longer text with this one in it, in both alphabets (RFC 4648
// sections 4 and 5). There is one form for each position of the text in a group of three bytes. Basic credentials are
// such a longer text.
func inBase64(text string) (cores []string) {
	const minCore = 8 // characters; shorter ones occur in innocent data
	for before := range 3 {
		encoded := base64.StdEncoding.EncodeToString(append(make([]byte, before), text...))
		// A character holds six bits. The characters that share bits with the bytes before and after differ each time.
		from, to := (8*before+5)/6, (8*(before+len(text)))/6
		if core := encoded[from:to]; len(core) >= minCore {
			cores = append(cores, core, strings.NewReplacer("+", "-", "/", "_").Replace(core))
		}
	}
	return cores
}
