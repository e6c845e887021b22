package contract

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/textutil"
)

// checkText checks a string against a schema. It takes bytes, because most strings are part of a body, and a conversion
// would copy them.
func (r *Report) checkText(s *Schema, field string, text []byte) {
	length := utf8.RuneCount(text)
	switch {
	case len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(one string) bool { return one == string(text) }):
		r.add(field, "must be one of: %s", strings.Join(s.Enum, ", "))
	case length < s.MinLength && length == 0:
		r.add(field, "must not be empty")
	case length < s.MinLength:
		r.add(field, "must have at least %d characters", s.MinLength)
	case s.MaxLength > 0 && length > s.MaxLength:
		r.add(field, "must have at most %d characters, not %d", s.MaxLength, length)
	case s.Pattern != "" && !textutil.Regexp(s.Pattern).Match(text):
		r.add(field, "must be %s", cmp.Or(patternWords[s.Pattern], "of the form "+s.Pattern))
	case s.Format != "":
		if form, ok := formats[s.Format]; ok && !form.valid(string(text)) {
			r.add(field, "must be %s", form.words)
		}
	}
}

// patternWords are patterns of the document in words, for messages.
var patternWords = map[string]string{
	`^(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$`: "a decimal number such as 12.50, with up to 18 decimals",
	`^[A-Za-z0-9_-]+$`:                       "an identifier of letters, digits, _ and -",
	`^[+0-9.A-Za-zµμ]+$`:                     "a duration such as 90s, 25h or 2d",
	`^[A-Za-z]{2}$`:                          "an ISO 3166-1 alpha-2 country code such as GB",
	`^[A-Za-z0-9]+$`:                         "a currency code such as EUR",
	`^[A-Za-z0-9_]+$`:                        "letters, digits and _, such as sepa",
	`^[^:>\s]+:[^:>\s]+->[^:>\s]+:[^:>\s]+$`: "of the form <source rail>:<source currency>->" +
		"<destination rail>:<destination currency>, such as 'sepa:EUR->base:USDC'",
	`^[!-~]+$`:                   "the nextCursor of an earlier page of this list",
	`^[!-~\s]*$`:                 "scopes separated by spaces",
	`^\+[1-9][0-9 ()./-]{6,30}$`: "an E.164 phone number such as +442079460000",
	`^[0-9a-f]{64}$`:             "64 hexadecimal digits",
	`^(\*|[A-Za-z]+)$`:           "* or an operationId, which /openapi.yaml lists",
}

type textFormat struct {
	words string
	valid func(string) bool
}

// email matches the e-mail addresses that most programs accept: an ASCII local part without quotes (RFC 5321 section
// 4.1.2), and a domain of at least two labels (RFC 1035 section 2.3.4).
const (
	emailWord  = "[0-9A-Za-z!#$%&'*+/=?^_`{|}~-]+"
	emailLabel = "[0-9A-Za-z]([0-9A-Za-z-]{0,61}[0-9A-Za-z])?"
	email      = "^" + emailWord + `(\.` + emailWord + ")*@" + emailLabel + `(\.` + emailLabel + ")+$"
)

func isEmail(text string) bool {
	const longest, longestLocal = 254, 64 // RFC 5321 section 4.5.3.1
	return len(text) <= longest && strings.IndexByte(text, '@') <= longestLocal && textutil.Regexp(email).MatchString(text)
}

// formats are the string formats that are checked (OpenAPI 3.0.3 "Data Types").
var formats = map[string]textFormat{
	"date": {"a date such as 2001-12-31", func(text string) bool {
		_, err := time.Parse(time.DateOnly, text)
		return err == nil
	}},
	"date-time": {"a time such as 2026-01-31T12:00:00Z (RFC 3339)", func(text string) bool {
		_, ok := payments.ParseTime(text)
		return ok
	}},
	"email": {"an e-mail address such as ada@example.com", isEmail},
	"byte": {"base64", func(text string) bool {
		_, err := base64.StdEncoding.DecodeString(text)
		return err == nil
	}},
}
