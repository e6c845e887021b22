package settings

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
)

const (
	maxText    = 64 << 10 // bytes of a value; tokens with many claims are long
	maxRetries = 100
)

var errTooLong = errors.New("the value is too long")

const (
	lowerCase = "abcdefghijklmnopqrstuvwxyz"
	upperCase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits    = "0123456789"
)

// hasOnly reports whether a text consists of these characters. Every command uses it for the names of its profile and
// its host. Compiling a regular expression would take longer than all other work on settings.
func hasOnly(text, characters string) bool { return strings.Trim(text, characters) == "" }

func oneOf(choices ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		if !slices.Contains(choices, text) {
			known := strings.TrimSuffix(strings.Join(choices, ", "), ", ")
			return "", fmt.Errorf("%q is not one of %s", shorten(text), known)
		}
		return text, nil
	}
}

func duration(text string) (time.Duration, error) {
	d, err := payments.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration above zero; give a number with a unit, such as 30s or 2m", shorten(text))
	}
	return d, nil
}

// Never is a duration that never passes.
const Never time.Duration = -1

func durationOrNever(text string) (time.Duration, error) {
	if text == "never" {
		return Never, nil
	}
	return duration(text)
}

// wholePattern compiles a regular expression that must match a whole text.
func wholePattern(text string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(text); err != nil { // first without the group, which the text must not close
		return nil, fmt.Errorf("%q is not a regular expression: %w", shorten(text), err)
	}
	return regexp.Compile(`^(?:` + text + `)$`)
}

// limits parses amounts, separated by commas.
func limits(text string) (map[string]money.Decimal, error) {
	return ParseAmounts(strings.Split(text, ","))
}

// ParseAmounts parses amounts such as 25000:USDC, one for each currency.
func ParseAmounts(texts []string) (map[string]money.Decimal, error) {
	all := map[string]money.Decimal{}
	for _, text := range texts {
		number, currency, _ := strings.Cut(strings.TrimSpace(text), ":")
		amount, err := money.ParseDecimal(number)
		isName := currency != "" && hasOnly(currency, upperCase+lowerCase+digits)
		if _, isTwice := all[currency]; err != nil || isTwice || !isName {
			return nil, fmt.Errorf("%q must look like 25000:USDC, once for each currency", shorten(text))
		}
		all[currency] = amount
	}
	return all, nil
}

func retries(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxRetries {
		return 0, fmt.Errorf("%q is not a whole number from 0 to %d", shorten(text), maxRetries)
	}
	return n, nil
}

func boolean(text string) (bool, error) {
	if text != "true" && text != "false" {
		return false, fmt.Errorf("%q is neither true nor false", shorten(text))
	}
	return text == "true", nil
}

// profileName accepts names that every keyring, file system and shell accepts unchanged.
func profileName(text string) (string, error) {
	const maxLength = 64
	isName := text != "" && len(text) <= maxLength && hasOnly(text[:1], lowerCase+upperCase+digits+"_") &&
		hasOnly(text, lowerCase+upperCase+digits+"._-")
	if !isName {
		return "", fmt.Errorf("%q is not a profile name; use up to 64 letters, digits, hyphens, underscores and dots, "+
			"beginning with a letter, digit or underscore", shorten(text))
	}
	return text, nil
}

// clientID accepts a user-id of Basic credentials (RFC 7617 §2).
func clientID(text string) (string, error) {
	if strings.Contains(text, ":") {
		return "", errors.New("a client id contains no colon")
	}
	return singleLine(text)
}

// singleLine accepts a text without control characters, such as the password of Basic credentials (RFC 7617 §2).
func singleLine(text string) (string, error) {
	switch {
	case text == "":
		return "", errors.New("the value is empty")
	case len(text) > maxText:
		return "", errTooLong
	case strings.ContainsFunc(text, unicode.IsControl):
		return "", errors.New("the value contains a line break or another control character; remove it")
	}
	return text, nil
}

// token accepts visible ASCII, which cannot break out of a header. Tokens of some services are not a b64token of RFC
// 6750 §2.1.
func token(text string) (string, error) {
	if len(text) > maxText {
		return "", errTooLong
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("the token contains a space, a line break or another invalid character; " +
			"give only the access token")
	}
	return text, nil
}

// filePath accepts the path of a file, which need not exist.
func filePath(text string) (string, error) {
	if err := CheckTilde(text); err != nil {
		return "", err
	}
	return singleLine(text)
}

// CheckTilde returns an error for a path that begins with ~ and a separator. The user means the home folder, but a
// shell does not replace ~ within quotes or after --flag=.
func CheckTilde(path string) error {
	if path == "~" || strings.HasPrefix(path, "~/") || strings.HasPrefix(path, `~\`) {
		return fmt.Errorf("%q begins with a ~ that the shell did not replace by your home folder; write the whole path",
			shorten(path))
	}
	return nil
}

func shorten(text string) string {
	const limit = 80
	if len(text) > limit {
		return strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return text
}
