package money

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/payctl/payctl/internal/textutil"
)

// A form is how a coordinate is written.
type form struct {
	name   string // in messages
	groups string // the characters, beside white space, with which people group it, and which carry no meaning
	// isWhole reports that no white space may stand inside it: it means that two values, or half of one, were pasted.
	isWhole bool
	fold    func(string) string // to the case in which it is kept; nil for as typed
	pattern string              // a regular expression
	words   string              // the pattern in words
	// check, if not nil, finds what a pattern cannot, and returns the form in which the coordinate is kept.
	check func(text string) (normal, fault string)
	// isText reports that any text is kept as typed, every byte of it, if check finds no fault.
	isText bool
}

const (
	// maxInput bounds, in bytes, what any check looks at. The longest coordinate (a PIX e-mail address) has 77; the rest
	// is room for spaces.
	maxInput = 256

	mistyped = "its check digits or its checksum do not match the rest, so at least one character is mistyped"
	allZeros = "it is all zeros, so nobody could ever spend what is sent there"
)

// read returns a value as it is kept, or its fault, worded to follow the name of a field.
func (f *form) read(value string) (normal, fault string) {
	normal, fault = f.normalize(value)
	if fault != "" {
		return "", "is not a valid " + f.name + ": " + fault
	}
	return normal, ""
}

func (f *form) normalize(value string) (text, fault string) {
	switch {
	case len(value) > maxInput:
		return "", fmt.Sprintf("it has %d bytes, far more than any", len(value))
	case f.isText:
		return f.check(value)
	}
	text = strings.TrimSpace(value)
	if !f.isWhole {
		text = strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || strings.ContainsRune(f.groups, r) {
				return -1
			}
			return r
		}, text)
	}
	for i, r := range []rune(text) {
		if r <= ' ' || r > '~' {
			return "", fmt.Sprintf("character %d, %s, cannot be part of it", i+1, strconv.QuoteToASCII(string(r)))
		}
	}
	if f.fold != nil {
		text = f.fold(text)
	}
	switch {
	case !textutil.Regexp(f.pattern).MatchString(text):
		return "", "it must be " + f.words + "; it has " + strconv.Itoa(len(text)) + " characters"
	case f.check == nil:
		return text, ""
	case strings.Trim(text, text[:1]) == "": // the usual placeholder, which several check digits let through
		return "", "it is one character repeated"
	}
	return f.check(text)
}

// unless returns a text, or the fault if it has it.
func unless(isFaulty bool, fault, text string) (string, string) {
	if isFaulty {
		return "", fault
	}
	return text, ""
}
