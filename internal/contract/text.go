package contract

import (
	"encoding/base64"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/payments"
)

// checkText checks a string against a schema. It takes bytes, because most strings are part of a body that was read, and
// a conversion would copy them.
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
	case s.Pattern != "" && !pattern(s.Pattern).Match(text):
		form := s.Form
		if form == "" {
			form = "of the form " + s.Pattern
		}
		r.add(field, "must be %s", form)
	case s.Format != "":
		if form, ok := formats[s.Format]; ok && !form.valid(string(text)) {
			r.add(field, "must be %s", form.words)
		}
	}
}

// patterns maps the text of a pattern to its compiled form. Patterns are compiled on first use, so that a program that
// validates nothing does not pay for them.
var patterns sync.Map

func pattern(text string) *regexp.Regexp {
	if compiled, ok := patterns.Load(text); ok {
		return compiled.(*regexp.Regexp)
	}
	compiled, _ := patterns.LoadOrStore(text, regexp.MustCompile(text))
	return compiled.(*regexp.Regexp)
}

type textFormat struct {
	words string
	valid func(string) bool
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
	"email": {"an e-mail address such as ada@example.com", func(text string) bool {
		address, err := mail.ParseAddress(text)
		return err == nil && address.Address == text && address.Name == ""
	}},
	"byte": {"base64", func(text string) bool {
		_, err := base64.StdEncoding.DecodeString(text)
		return err == nil
	}},
}
