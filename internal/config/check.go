package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A check turns the text of a value into its typed form, or says why the key does not accept it.
type check func(text string) (any, error)

const (
	longestText = 4096 // bytes of any one value
	mostRetries = 100
)

func oneOf(choices ...string) check {
	return func(text string) (any, error) {
		if !slices.Contains(choices, text) {
			return nil, fmt.Errorf("%q is not one of %s", shorten(text), strings.Join(choices, ", "))
		}
		return text, nil
	}
}

// honouredOrEmpty is apart from oneOf because the empty choice has to be described.
func honouredOrEmpty(text string) (any, error) {
	if text != "" && text != IdempotencyKeysHonoured {
		return nil, fmt.Errorf("%q is neither %q nor empty (not trusted)", shorten(text), IdempotencyKeysHonoured)
	}
	return text, nil
}

func baseURL(text string) (any, error) {
	if len(text) > longestText {
		return nil, errTooLong
	}
	return ParseBaseURL(text)
}

func duration(text string) (any, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return nil, fmt.Errorf("%q is not a duration; give a number with a unit, such as 30s or 2m", shorten(text))
	}
	if d <= 0 {
		return nil, fmt.Errorf("%q is not more than zero", shorten(text))
	}
	return d, nil
}

func retries(text string) (any, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > mostRetries {
		return nil, fmt.Errorf("%q is not a whole number from 0 to %d", shorten(text), mostRetries)
	}
	return n, nil
}

func boolean(text string) (any, error) {
	switch text {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return nil, fmt.Errorf("%q is neither true nor false", shorten(text))
}

// profileName keeps names to what every keyring, file system and shell takes as it is.
func profileName(text string) (any, error) {
	const longest = 64
	ok := text != "" && len(text) <= longest && text[0] != '-' && text[0] != '.'
	for _, c := range []byte(text) {
		ok = ok && (isAlphanumeric(c) || c == '-' || c == '_' || c == '.')
	}
	if !ok {
		return nil, fmt.Errorf("%q is not a profile name; use up to %d letters, digits, hyphens, underscores and dots, beginning with a letter, digit or underscore", shorten(text), longest)
	}
	return text, nil
}

// clientID accepts what the user-id of Basic credentials may hold (RFC 7617 §2).
func clientID(text string) (any, error) {
	switch {
	case text == "":
		return nil, errEmpty
	case len(text) > longestText:
		return nil, errTooLong
	case strings.Contains(text, ":"):
		return nil, errors.New("a client id holds no colon")
	case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }):
		return nil, errors.New("a client id holds no line break, control or other unprintable character")
	}
	return text, nil
}

// clientSecret accepts what the password of Basic credentials may hold (RFC 7617 §2).
func clientSecret(text string) (any, error) {
	if len(text) > longestText {
		return nil, errTooLong
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return nil, errors.New("the secret holds a line break or another control character; strip it")
	}
	return text, nil
}

// token accepts visible ASCII. That is wider than the b64token of RFC 6750 §2.1, which tokens in use do
// not all keep to, and still cannot break out of a header.
func token(text string) (any, error) {
	const longest = 64 << 10
	if len(text) > longest {
		return nil, errTooLong
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the token holds a space, a line break or another character that no token has; give the access token alone")
	}
	return text, nil
}

// jsonPointer checks the syntax of RFC 6901 §3.
func jsonPointer(text string) (any, error) {
	if !strings.HasPrefix(text, "/") {
		return nil, fmt.Errorf("%q is not a JSON Pointer; it begins with a slash, as in /data/status", shorten(text))
	}
	if len(text) > longestText {
		return nil, errTooLong
	}
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return nil, errors.New("a JSON Pointer here holds printable characters only")
	}
	for i := range len(text) {
		if text[i] == '~' && (i+1 == len(text) || text[i+1] != '0' && text[i+1] != '1') {
			return nil, fmt.Errorf("%q is not a JSON Pointer; ~ is written ~0 and a slash inside a name ~1", shorten(text))
		}
	}
	return text, nil
}

// operation checks a "METHOD /path" pair. The path may not name a host or leave the base URL, for the
// credentials of the profile go with it.
func operation(text string) (any, error) {
	if len(text) > longestText {
		return nil, errTooLong
	}
	method, path, _ := strings.Cut(text, " ")
	if !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, method) {
		return nil, fmt.Errorf("%q does not begin with GET, POST, PUT, PATCH or DELETE; write it as in \"GET /kyc/{accountId}/v2\"", shorten(text))
	}
	if !strings.HasPrefix(path, "/") || strings.Contains(path, "//") {
		return nil, fmt.Errorf("the path in %q must begin with one slash and hold no empty segment", shorten(text))
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return nil, fmt.Errorf("the path in %q holds a . or .. segment", shorten(text))
		}
		if !placeholdersBalanced(segment) {
			return nil, fmt.Errorf("the braces in %q do not match", shorten(text))
		}
	}
	for _, c := range []byte(path) {
		if !isAlphanumeric(c) && !strings.ContainsRune("/-._~{}:@!$&'()*+,;=", rune(c)) {
			return nil, fmt.Errorf("the path in %q holds %q; it takes no query, fragment, space or escape", shorten(text), c)
		}
	}
	return text, nil
}

// filePath accepts the path of a file, which need not exist.
func filePath(text string) (any, error) {
	switch {
	case text == "":
		return nil, errEmpty
	case len(text) > longestText:
		return nil, errTooLong
	case strings.ContainsFunc(text, unicode.IsControl):
		return nil, errors.New("a path here holds no control character")
	}
	return text, nil
}

func placeholdersBalanced(segment string) bool {
	open := false
	for _, c := range []byte(segment) {
		if c == '{' && open || c == '}' && !open {
			return false
		}
		if c == '{' || c == '}' {
			open = !open
		}
	}
	return !open && !strings.Contains(segment, "{}")
}

func operationID(text string) error {
	const longest = 128
	ok := text != "" && len(text) <= longest
	for _, c := range []byte(text) {
		ok = ok && (isAlphanumeric(c) || c == '_' || c == '-')
	}
	if !ok {
		return fmt.Errorf("%q is not an operation id; it looks like getKycStatus", shorten(text))
	}
	return nil
}

var (
	errEmpty   = errors.New("the value is empty")
	errTooLong = errors.New("the value is too long")
)

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func shorten(text string) string {
	const longest = 80
	if len(text) > longest {
		return strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return text
}
