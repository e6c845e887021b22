package redact

import (
	"net/url"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/textutil"
)

// passwordValue matches a password in a connection string of libpq or in the query of a URL: password='a b',
// sslpassword=ab.
const passwordValue = `password[ \t]*=[ \t]*(?:'((?:\\.|[^'\\])*)|((?:\\.|[^ \t&#\\])*))`

// DatabaseSecrets returns the passwords in a connection string of libpq, which may be malformed. It is a URL, also with
// passwords in its query, or words.
func DatabaseSecrets(text string) (secrets []string) {
	if _, address, isURL := strings.Cut(text, "://"); isURL {
		authority := address
		if end := strings.IndexAny(address, "/?#"); end >= 0 {
			authority = address[:end]
		}
		secrets = URLPasswords(authority)
		// A password may have an unescaped slash.
		whole := URLPasswords(address)
		if !slices.Equal(whole, secrets) && (len(secrets) > 0 || !strings.Contains(authority, "@")) {
			secrets = append(secrets, whole...)
		}
	}
	if strings.Contains(text, "password") {
		for _, found := range textutil.Regexp(passwordValue).FindAllStringSubmatch(text, -1) {
			value := strings.NewReplacer(`\\`, `\`, `\`, "").Replace(found[1] + found[2])
			secrets = append(secrets, spellings(value)...)
		}
	}
	return secrets
}

// URLPasswords returns the password in a URL, up to the last @, as written and decoded. The scheme may be missing.
func URLPasswords(address string) []string {
	if _, behind, found := strings.Cut(address, "://"); found {
		address = behind
	}
	_, password, _ := strings.Cut(address[:max(strings.LastIndexByte(address, '@'), 0)], ":")
	return spellings(password)
}

// spellings returns a secret as written in a URL, and decoded.
func spellings(secret string) []string {
	if secret == "" {
		return nil
	}
	if plain, err := url.PathUnescape(secret); err == nil && plain != secret {
		return []string{secret, plain}
	}
	return []string{secret}
}
