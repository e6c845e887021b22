package client

import (
	"bytes"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// redacted stands where a secret stood.
const redacted = "[redacted]"

// leastSecret is the length in bytes from which a text is looked for elsewhere as well: shorter ones would be found
// everywhere.
const leastSecret = 4

// sensitive lists the names of members, parameters and header fields whose values are not shown, in lower case and
// without hyphens and underscores: credentials, and what identifies a person or a bank account.
const sensitive = " accesstoken refreshtoken idtoken token clientsecret secret password passphrase apikey xapikey privatekey " +
	"authorization proxyauthorization cookie setcookie " +
	"taxid registrationnumber birthdate phonenumber document value " +
	"iban accountnumber routingnumber sortcode clabe pixkey "

// personal lists in the same way what tells who somebody is and is no secret of theirs: it is left out where it stands under
// such a name, and not looked for elsewhere.
const personal = " firstname middlename lastname fullname holdername email emailaddress line1 line2 city postalcode "

func isSensitive(name string) bool { return isListed(sensitive, name) }

// isListed looks a name up without building anything: it is asked of every member of every answer.
func isListed(names, name string) bool {
	var room [24]byte // more than the longest has
	plain := room[:1:len(room)]
	plain[0] = ' '
	for _, c := range []byte(name) {
		switch {
		case c == '-' || c == '_':
			continue
		case c == ' ' || len(plain) == len(room)-1:
			return false
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		plain = append(plain, c)
	}
	return len(plain) > 1 && strings.Contains(names, string(append(plain, ' ')))
}

// A redactor takes known secrets out of texts, and unknown ones as far as the structure around them gives them away.
type redactor struct {
	secrets      *finder // nil: none are known
	showPersonal bool
}

// with says whether personal data is shown.
func (d redactor) with(personal bool) redactor {
	d.showPersonal = personal
	return d
}

// hides says whether what stands under a name is left out.
func (d redactor) hides(name string) bool {
	return isSensitive(name) || !d.showPersonal && isListed(personal, name)
}

// redactor knows the request's secrets, those that the process knows, and those that the request and an answer hold under a
// sensitive name.
func (r *request) redactor(answer []byte) redactor {
	all := formsOf(slices.Concat(r.secrets, secretsIn(r.body), secretsIn(answer)))
	if r.known != nil {
		all = append(all, r.known.redactor().secrets.words...)
	}
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) }) // one may be part of another
	return redactor{secrets: newFinder(slices.Compact(all))}
}

// text takes out known secrets.
func (d redactor) text(text string) string {
	if d.secrets == nil {
		return text
	}
	for _, secret := range d.secrets.words {
		text = strings.ReplaceAll(text, secret, redacted)
	}
	return text
}

// body is a request's or answer's body as it may be shown.
func (d redactor) body(contentType string, body []byte) string {
	switch {
	case looksLikeJSON(body):
		return d.json(body)
	case isForm(contentType):
		return d.query(string(body))
	}
	return maskRuns(d.text(string(body)))
}

// snippet is the recognisable beginning of a body that was not expected: an HTML page's title or its words. It is
// empty when the body has none.
func (d redactor) snippet(contentType string, body []byte) string {
	const longest = 120
	var text string
	if looksLikeJSON(body) || isForm(contentType) {
		text = d.body(contentType, body)
	} else {
		text = maskRuns(d.text(words(d.text(string(body))))) // an HTML page can spell any character in several ways
	}
	text = strings.Join(strings.FieldsFunc(text, func(c rune) bool { return unicode.IsSpace(c) || !unicode.IsPrint(c) }), " ")
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	return text
}

// query redacts a query string or form.
func (d redactor) query(text string) string {
	pairs := strings.Split(text, "&")
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		switch {
		case d.isSpelt(name):
			pairs[i] = redacted
		case err == nil && d.hides(plain) || d.isSpelt(value):
			pairs[i] = name + "=" + redacted
		}
	}
	return d.text(strings.Join(pairs, "&"))
}

// isSpelt says whether a part of a URL holds a secret in any of the ways that escapes can spell it.
func (d redactor) isSpelt(part string) bool {
	for _, unescape := range []func(string) (string, error){url.QueryUnescape, url.PathUnescape} {
		if plain, err := unescape(part); err == nil && d.text(plain) != plain {
			return true
		}
	}
	return false
}

// path redacts the part of a URL before the query.
func (d redactor) path(text string) string {
	segments := strings.Split(d.text(text), "/")
	for i, segment := range segments {
		if d.isSpelt(segment) {
			segments[i] = redacted
		}
	}
	return strings.Join(segments, "/")
}

// address redacts a URL.
func (d redactor) address(text string) string {
	before, query, found := strings.Cut(text, "?")
	if !found {
		return d.path(text)
	}
	query, fragment, found := strings.Cut(query, "#")
	if found {
		fragment = "#" + d.query(fragment)
	}
	return d.path(before) + "?" + d.query(query) + fragment
}

// json redacts a JSON text token by token, so that one that is malformed or cut is shown as far as it goes and a
// secret that it broke off in is not.
func (d redactor) json(body []byte) string {
	text, _, _ := d.rewrite(body, true)
	return text
}

// rewrite writes a JSON text anew without known secrets, and, byName, without what stands under a sensitive name. It says whether
// anything was taken out, and whether the text was whole.
func (d redactor) rewrite(body []byte, byName bool) (text string, changed, whole bool) {
	var b strings.Builder
	whole = true
	walk(body, d.hides, func(before string, token jsontext.Token, name string) {
		b.WriteString(before)
		was := token.String()
		is := was
		switch kind := token.Kind(); {
		case kind != '"' && kind != '0':
		case byName && name != "":
			is = redacted
		default:
			is = d.text(was)
		}
		changed = changed || is != was
		if token.Kind() == '"' || is != was {
			quoted, _ := jsontext.AppendQuote(nil, is)
			b.Write(quoted)
			return
		}
		b.WriteString(is)
	}, func() {
		whole = false
		b.WriteString(" (malformed from here)")
	})
	return b.String(), changed, whole
}

// secretsIn lists the texts and numbers that a JSON text has under sensitive names.
func secretsIn(body []byte) (secrets []string) {
	if !looksLikeJSON(body) {
		return nil
	}
	walk(body, isSensitive, func(_ string, token jsontext.Token, name string) {
		if kind := token.Kind(); name != "" && (kind == '"' || kind == '0') {
			secrets = append(secrets, token.String())
		}
	}, func() {})
	return secrets
}

// walk visits the tokens of JSON texts in order, each with the punctuation before it and, when it is a value under a
// hidden name or inside of one, that name. It ends at the first malformed byte, of which it tells.
func walk(body []byte, hidden func(name string) bool, visit func(before string, token jsontext.Token, name string), malformed func()) {
	decoder := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	under, depth, next := "", 0, "" // the sensitive name that holds for a whole value, where that began, and the last name
	for {
		kind := decoder.PeekKind()
		container, count := decoder.StackIndex(decoder.StackDepth())
		isName := container == '{' && count%2 == 0
		before := ""
		switch {
		case kind == '}' || kind == ']':
		case container == '{' && count%2 == 1:
			before = ":"
		case (container == '{' || container == '[') && count > 0:
			before = ","
		}
		token, err := decoder.ReadToken()
		if err != nil {
			if decoder.InputOffset() < int64(len(bytes.TrimSpace(body))) || decoder.StackDepth() > 0 {
				malformed()
			}
			return
		}
		if under != "" && decoder.StackDepth() < depth {
			under = ""
		}
		if isName && kind == '"' {
			next = ""
			if hidden(token.String()) {
				next = token.String()
			}
			visit(before, token, "")
			continue
		}
		name := under
		if name == "" && container == '{' {
			name = next
		}
		if (kind == '{' || kind == '[') && under == "" && name != "" {
			under, depth = name, decoder.StackDepth()
		}
		visit(before, token, name)
	}
}

func isForm(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(strings.TrimSpace(media), "application/x-www-form-urlencoded")
}

func looksLikeJSON(body []byte) bool {
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	return len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[' || trimmed[0] == '"')
}

// words is the title of an HTML page, or else its text without tags.
func words(page string) string {
	lower := strings.ToLower(page)
	if start := strings.Index(lower, "<title>"); start >= 0 && len(lower) == len(page) {
		start += len("<title>")
		if length := strings.Index(lower[start:], "</title>"); length > 0 {
			return html.UnescapeString(page[start : start+length])
		}
	}
	var b strings.Builder
	for page != "" {
		text, rest, found := strings.Cut(page, "<")
		b.WriteString(text + " ")
		if !found {
			break
		}
		_, page, _ = strings.Cut(rest, ">")
	}
	return html.UnescapeString(b.String())
}

// maskRuns hides what looks like a token or an account number in free text: long runs of the characters that tokens
// are made of, with a digit among them, and runs of digits that are long enough for a bank account.
func maskRuns(text string) string {
	const longRun, longNumber = 20, 7
	var b strings.Builder
	for len(text) > 0 {
		length, digits := 0, 0
		for length < len(text) && isTokenByte(text[length]) {
			if text[length] >= '0' && text[length] <= '9' {
				digits++
			}
			length++
		}
		switch run := text[:length]; {
		case length >= longRun && digits > 0, digits >= longNumber:
			b.WriteString(redacted)
		default:
			b.WriteString(run)
		}
		end := length
		for end < len(text) && !isTokenByte(text[end]) {
			end++
		}
		b.WriteString(text[length:end])
		text = text[end:]
	}
	return b.String()
}

func isTokenByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("+/=_-.~", b) >= 0
}
