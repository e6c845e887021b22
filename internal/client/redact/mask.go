package redact

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/textutil"
)

// sentences are the members of an error that say what is wrong.
var sentences = []string{"title", "detail", "message", "error", "errordescription", "errors", "field", "pointer"}

// OAuthErrors are the codes of RFC 6749 section 5.2.
var OAuthErrors = []string{
	"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
}

// A Body is a kind of JSON text. The structure of each is shown.
type Body int

// The bodies.
const (
	Resource Body = iota // the values of harmless members are shown
	Failure              // as of a resource, and the members that say what is wrong
	Token                // only the codes of OAuth and the problem types of the contract are shown
)

// A Mask hides the known secrets, the personal data of one request, and texts that look like personal data or tokens.
// Secrets.Mask makes one.
type Mask struct {
	replace func(string) string
	words   map[string]bool // of the request's personal data, in lower case
	hidden  map[string]bool // names of members that are not harmless
}

const (
	word    = `[\pL\pM\pN]+`
	longRun = `[A-Za-z0-9]{28,}`
	// identifier matches the name of a member or a parameter, but not a number or an address.
	identifier = `^[A-Za-z_$.\[\]/-]{0,40}(?:[0-9][A-Za-z_$.\[\]/-]{0,20}){0,3}$`
	// personal matches e-mail addresses, telephone numbers and tokens.
	personal = email + `|\+[0-9](?:[ ()./-]{0,2}[0-9]){6,14}|\(?\b[0-9]{3}\)?[ .-][0-9]{3}[ .-][0-9]{4}\b` +
		`|\b0[0-9]{2,4}[ /-][0-9]{3,4}[ -]?[0-9]{3,4}\b` +
		`|(?i:\b(?:bearer|basic) )[A-Za-z0-9+/=_.~-]{8,}|\b(?:sk|pk|rk|tok|pat|ghp)_[A-Za-z0-9_-]{8,}`
	email = local + `(?:@|%40)` + local + `\.[\pL\pN-]+`
	local = `[^\s@<>()\[\]{}"',;:=&?/]+`
)

// Text returns a text as it may be shown.
func (m Mask) Text(text string) string {
	return textutil.Regexp(word).ReplaceAllStringFunc(m.code(text), func(found string) string {
		if m.words[strings.ToLower(found)] {
			return Mark
		}
		return found
	})
}

// code returns a code as it may be shown. Words of the request stay in it.
func (m Mask) code(text string) string {
	text = textutil.Regexp(personal).ReplaceAllStringFunc(payments.WithoutNumbers(m.replace(text)),
		func(found string) string {
			if strings.Contains(found, "@") {
				return money.MaskPIXKey(money.PIXKeyTypeEmail, found)
			}
			return Mark
		})
	return textutil.Regexp(longRun).ReplaceAllStringFunc(text, func(found string) string {
		isMixed := strings.ToLower(found) != found && strings.ToUpper(found) != found
		if isMixed && strings.ContainsAny(found, "0123456789") { // hashes and identifiers have one case
			return Mark
		}
		return found
	})
}

// addWords adds the words of a request's text that may be personal.
func (m Mask) addWords(name, text string) {
	const shortest = 4
	for _, found := range textutil.Regexp(word).FindAllString(text, -1) {
		if len([]rune(found)) >= shortest && !m.isHarmless(name, text) {
			m.words[strings.ToLower(found)] = true
		}
	}
}

func (m Mask) isHarmless(name, text string) bool {
	return !m.hidden[name] && payments.IsHarmless(name, text)
}

// name returns the name of a member or a parameter as it may be shown.
func (m Mask) name(text string) string {
	if !textutil.Regexp(identifier).MatchString(text) {
		return Mark
	}
	return m.code(text)
}

// HeaderField returns the value of a header field as it may be shown.
func (m Mask) HeaderField(name, value string) string {
	switch {
	case payments.IsSecretName(name):
		if scheme, _, found := strings.Cut(value, " "); found && strings.EqualFold(name, "Authorization") {
			return scheme + " " + Mark // Basic and Bearer can be told apart
		}
		return Mark
	case strings.EqualFold(name, "Location"):
		return m.URL(value)
	}
	return m.Text(value)
}

// URL returns a URL as it may be shown.
func (m Mask) URL(text string) string {
	end := strings.IndexAny(text, "?#")
	if end < 0 {
		return m.Text(text)
	}
	pairs := strings.Split(text[end+1:], "&")
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		name, _ = url.QueryUnescape(name) // a malformed name or value is empty
		if value, _ = url.QueryUnescape(value); !m.isHarmless(name, value) {
			value = Mark
		}
		pairs[i] = m.name(name) + "=" + m.code(value)
	}
	return m.Text(text[:end]) + text[end:end+1] + strings.Join(pairs, "&")
}

// Body returns JSON as it may be shown. Malformed or cut JSON is shown up to the fault. Whole reports whether there was
// no fault.
func (m Mask) Body(body []byte, kind Body) (shown []byte, whole bool) {
	if !looksLikeJSON(body) {
		return nil, false
	}
	return rewrite(body, m.name, func(at payments.Path, text string) string {
		switch {
		case kind == Token:
			return tokenWord(at.Name(), text)
		case slices.ContainsFunc(at, payments.IsSecretName):
		case kind == Failure && slices.ContainsFunc(at, IsSentence):
			return m.Text(text)
		case m.isHarmless(at.Name(), text):
			return m.code(text)
		}
		return Mark
	})
}

// Show returns the body of a request or response as it may be shown.
func (m Mask) Show(body []byte, kind Body) string {
	shown, whole := m.Body(body, kind)
	switch {
	case len(body) == 0:
		return ""
	case shown == nil:
		return fmt.Sprintf("(%d bytes that are not JSON)", len(body))
	case !whole:
		return string(shown) + " (malformed from here)"
	}
	return string(shown)
}

// IsSentence reports whether a member of an error, or the members in it, says what is wrong.
func IsSentence(name string) bool { return slices.Contains(sentences, payments.FoldMember(name)) }

// tokenWord returns a text of the answer to the token operation as it may be shown.
func tokenWord(name, text string) string {
	problem := payments.Problem{Type: text}
	kind := problem.ProblemType()
	switch {
	case name == "error" && slices.Contains(OAuthErrors, text):
		return text
	case name == "type" && payments.Describe(kind).Type == kind:
		return "/problems/" + string(kind)
	}
	return Mark
}

func looksLikeJSON(body []byte) bool {
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	return len(trimmed) > 0 && strings.IndexByte(`{["`, trimmed[0]) >= 0
}
