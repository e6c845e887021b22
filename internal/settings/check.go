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

// hasOnly reports whether a text consists of the given characters. Every command checks the names of a profile and of a
// host, and a regular expression for that would take longer to compile than everything else that is done with settings.
func hasOnly(text, characters string) bool { return strings.Trim(text, characters) == "" }

func oneOf(choices ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		if !slices.Contains(choices, text) {
			return "", fmt.Errorf("%q is not one of %s", shorten(text), strings.TrimSuffix(strings.Join(choices, ", "), ", "))
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

// wholePattern reads a regular expression that has to match a whole text.
func wholePattern(text string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(text); err != nil { // by itself: it must not close the group below
		return nil, fmt.Errorf("%q is not a regular expression: %w", shorten(text), err)
	}
	return regexp.Compile(`^(?:` + text + `)$`)
}

// limits reads amounts, separated by commas.
func limits(text string) (map[string]money.Decimal, error) {
	return ParseAmounts(strings.Split(text, ","))
}

// ParseAmounts reads amounts such as 25000:USDC, one for each currency.
func ParseAmounts(texts []string) (map[string]money.Decimal, error) {
	all := map[string]money.Decimal{}
	for _, text := range texts {
		number, currency, _ := strings.Cut(strings.TrimSpace(text), ":")
		amount, err := money.ParseDecimal(number)
		if _, isTwice := all[currency]; err != nil || isTwice || currency == "" || !hasOnly(currency, upperCase+lowerCase+digits) {
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

// profileName allows names that every keyring, file system and shell accepts unchanged.
func profileName(text string) (string, error) {
	const longest = 64
	isName := text != "" && len(text) <= longest && hasOnly(text[:1], lowerCase+upperCase+digits+"_") &&
		hasOnly(text, lowerCase+upperCase+digits+"._-")
	if !isName {
		return "", fmt.Errorf("%q is not a profile name; use up to 64 letters, digits, hyphens, underscores and dots, "+
			"beginning with a letter, digit or underscore", shorten(text))
	}
	return text, nil
}

// clientID accepts what the user-id of Basic credentials may contain (RFC 7617 §2).
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

// token accepts visible ASCII. That is wider than the b64token of RFC 6750 §2.1, which some services do not keep to,
// and still cannot break out of a header.
func token(text string) (string, error) {
	if len(text) > maxText {
		return "", errTooLong
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("the token contains a space, a line break or another character that no token has; " +
			"give the access token alone")
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

// CheckTilde returns an error for a path that begins with ~ and a separator: the folder of that name, which it means, is
// never meant. A shell puts the home folder in place of ~, but not within quotes or after --flag=.
func CheckTilde(path string) error {
	if path == "~" || strings.HasPrefix(path, "~/") || strings.HasPrefix(path, `~\`) {
		return fmt.Errorf("%q has a ~ in place of which no shell has put your home folder; write the whole path", shorten(path))
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
