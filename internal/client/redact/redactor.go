package redact

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/payctl/payctl/internal/payments"
)

// sensitiveNames are the names of members, parameters and header fields whose values are never shown: credentials, and
// what identifies a person or a bank account. Their values are removed wherever else they stand, too.
var sensitiveNames = slices.Concat(payments.SecretNames, []string{
	"taxid", "registrationnumber", "birthdate", "phonenumber", "document", "value",
	"iban", "accountnumber", "routingnumber", "sortcode", "clabe", "pixkey",
})

// personalNames are the names of personal data that is not secret. It is removed under such a name only.
var personalNames = []string{
	"firstname", "middlename", "lastname", "fullname", "holdername", "email", "emailaddress",
	"line1", "line2", "city", "postalcode",
}

func isSensitive(name string) bool { return slices.Contains(sensitiveNames, payments.FoldMember(name)) }

// A Redactor removes known secrets from texts, and unknown ones as far as the structure around them shows what they
// are. Secrets.With makes one.
type Redactor struct{ replace func(string) string }

// hides reports whether the value under a name is removed.
func hides(name string) bool {
	return isSensitive(name) || slices.Contains(personalNames, payments.FoldMember(name))
}

// Text removes the known secrets from a text.
func (r Redactor) Text(text string) string { return r.replace(text) }

// HeaderField returns the value of a header field as it may be shown.
func (r Redactor) HeaderField(name, value string) string {
	switch {
	case isSensitive(name):
		if scheme, _, found := strings.Cut(value, " "); found && strings.EqualFold(name, "Authorization") {
			return scheme + " " + Mark // Basic and Bearer can be told apart
		}
		return Mark
	case strings.EqualFold(name, "Location"):
		return r.URL(value)
	}
	return r.Text(value)
}

// URL returns a URL as it may be shown.
func (r Redactor) URL(text string) string {
	path, query, found := strings.Cut(r.Text(text), "?")
	if !found {
		return path
	}
	query, fragment, found := strings.Cut(query, "#")
	if found {
		fragment = "#" + r.form(fragment)
	}
	return path + "?" + r.form(query) + fragment
}

// form returns a query as it may be shown.
func (r Redactor) form(text string) string {
	pairs := strings.Split(r.Text(text), "&")
	for i, pair := range pairs {
		name, _, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err == nil && hides(plain) {
			pairs[i] = name + "=" + Mark
		}
	}
	return strings.Join(pairs, "&")
}

// Body returns the body of a request or response as it may be shown.
func (r Redactor) Body(body []byte) string {
	if looksLikeJSON(body) {
		text, _, _ := r.rewriteJSON(body, hides)
		return text
	}
	return maskRuns(r.Text(string(body)))
}

// tokenRun matches a run of the characters that tokens are made of.
var tokenRun = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z0-9+/=_.~-]+`) })

// maskRuns hides what looks like a token or an account number in a text without structure: long runs of the characters
// that tokens are made of, with a digit among them, and runs with as many digits as a bank account has.
func maskRuns(text string) string {
	const longRun, longNumber = 20, 7
	return tokenRun().ReplaceAllStringFunc(text, func(run string) string {
		digits := 0
		for _, c := range run {
			if c >= '0' && c <= '9' {
				digits++
			}
		}
		if len(run) >= longRun && digits > 0 || digits >= longNumber {
			return Mark
		}
		return run
	})
}
