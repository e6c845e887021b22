package money

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/payctl/payctl/internal/textutil"
)

// A form is the syntax of a coordinate.
type form struct {
	name   string // in messages
	groups string // characters without meaning that people use to group it, besides white space
	// isWhole means that white space inside is an error. People who paste it have pasted two values, or half of one.
	isWhole bool
	fold    func(string) string // to its normal letter case; nil means as typed
	pattern string              // a regular expression
	words   string              // the pattern in words
	// check, if not nil, checks more than the pattern, and returns the normal form.
	check func(text string) (normal, fault string)
	// isText means that the normal form is exactly the typed text, if check finds no fault.
	isText bool
}

const (
	// maxInput bounds the input of any check, in bytes. The longest coordinate (a PIX e-mail address) has 77. The rest is
	// room for spaces.
	maxInput = 256

	mistyped = "its check digits or its checksum do not match the rest, so at least one character is mistyped"
	allZeros = "it is all zeros, so nobody could ever spend what is sent there"
)

// read returns the normal form of a value, or its fault. The text of the fault follows the name of a field.
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
	case strings.Trim(text, text[:1]) == "": // a placeholder, which passes several kinds of check digits
		return "", "it is one character repeated"
	}
	return f.check(text)
}

// unless returns the fault if isFaulty, otherwise the text.
func unless(isFaulty bool, fault, text string) (string, string) {
	if isFaulty {
		return "", fault
	}
	return text, ""
}
