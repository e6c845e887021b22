package coordinates

import (
	"strconv"
	"strings"
	"unicode"
)

// maxInput bounds, in bytes, what any check looks at. The longest coordinate
// (a PIX e-mail address) has 77; the rest is room for spaces.
const maxInput = 256

// tidy removes white space and the given separators, which people type to
// group long numbers and which carry no meaning.
func tidy(kind, value, separators string) (string, error) {
	if len(value) > maxInput {
		return "", tooLong(kind, value)
	}
	tidied := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune(separators, r) {
			return -1
		}
		return r
	}, value)
	if tidied == "" {
		return "", Required
	}
	return tidied, nil
}

// trim removes white space around the value only. Inside an on-chain address
// white space means that two values, or half of one, were pasted.
func trim(kind, value string) (string, error) {
	if len(value) > maxInput {
		return "", tooLong(kind, value)
	}
	trimmed := strings.TrimSpace(value)
	if trimmed == "" {
		return "", Required
	}
	return trimmed, nil
}

func tooLong(kind, value string) Problem {
	return invalid(kind, "it has %d bytes, far more than any %s", len(value), kind)
}

// onlyOf refuses the first character that allowed does not hold true for; what completes "character 3 is not …".
func onlyOf(kind, value string, allowed func(rune) bool, what string) error {
	position := 0
	for _, r := range value {
		position++
		if !allowed(r) {
			return invalid(kind, "character %d, %s, is not %s", position, strconv.QuoteToASCII(string(r)), what)
		}
	}
	return nil
}

// digitString tidies a number that has between least and most digits and may be grouped by spaces and hyphens.
func digitString(kind, value string, least, most int) (string, error) {
	s, err := tidy(kind, value, "-")
	if err != nil {
		return "", err
	}
	if err := onlyOf(kind, s, isDigit, "a digit"); err != nil {
		return "", err
	}
	switch {
	case len(s) >= least && len(s) <= most:
		return s, nil
	case least == most:
		return "", invalid(kind, "it has %s and needs %d", count(len(s), "digit"), least)
	default:
		return "", invalid(kind, "it has %s and needs %d to %d", count(len(s), "digit"), least, most)
	}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// allSame reports whether a value is one byte repeated: the usual placeholder,
// and one that several check-digit schemes let through.
func allSame[T string | []byte](value T) bool {
	for i := 1; i < len(value); i++ {
		if value[i] != value[0] {
			return false
		}
	}
	return true
}

func allZero(key []byte) bool { return len(key) > 0 && key[0] == 0 && allSame(key) }

// upper and lower change ASCII letters only. The Unicode mappings fold foreign letters (dotless i, long s, the Kelvin
// sign) into ASCII ones, and so would accept a value that is not what was typed.
func upper(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, s)
}

func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if isUpper(r) {
			return r - 'A' + 'a'
		}
		return r
	}, s)
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isUpper(r rune) bool { return r >= 'A' && r <= 'Z' }

func isUpperOrDigit(r rune) bool { return isUpper(r) || isDigit(r) }

func isHex(r rune) bool { return isDigit(r) || r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F' }
