package redact

import (
	"net/url"
	"strings"
)

// DatabaseSecrets are the passwords in a connection string of libpq, which may be malformed.
func DatabaseSecrets(text string) []string {
	secrets := DatabasePasswords(text)
	if strings.Contains(text, "://") {
		secrets = append(secrets, URLPasswords(text)...)
	}
	return secrets
}

// URLPasswords are the password in a URL, up to the last @, as it is written and decoded. The scheme may be missing.
func URLPasswords(address string) []string {
	if _, behind, found := strings.Cut(address, "://"); found {
		address = behind
	}
	return urlSpellings(passwordBefore(address, strings.LastIndexByte(address, '@')))
}

// passwordBefore returns the password of a text USER:PASSWORD@HOST with an @ at an index; empty: there is none.
func passwordBefore(text string, at int) string {
	_, password, _ := strings.Cut(text[:max(at, 0)], ":")
	return password
}

// DatabasePasswords are the passwords in a connection string of libpq: a URL, whose query may have them too, or words
// such as password='a b'.
func DatabasePasswords(text string) (passwords []string) {
	if _, authority, isURL := strings.Cut(text, "://"); isURL {
		if end := strings.IndexAny(authority, "/?#"); end >= 0 {
			authority = authority[:end]
		}
		passwords = urlSpellings(passwordBefore(authority, strings.LastIndexByte(authority, '@')))
	}
	for {
		_, behind, found := strings.Cut(text, "password") // sslpassword too
		if !found {
			return passwords
		}
		text = strings.TrimLeft(behind, " \t")
		if value, isValue := strings.CutPrefix(text, "="); isValue {
			passwords = append(passwords, urlSpellings(connectionValue(strings.TrimLeft(value, " \t")))...)
		}
	}
}

// connectionValue returns the value that a text begins with, in a connection string or the query of a URL, without its
// quotes and backslashes.
func connectionValue(text string) string {
	ends := " \t&#"
	text, isQuoted := strings.CutPrefix(text, "'")
	if isQuoted {
		ends = "'"
	}
	var value strings.Builder
	for i := 0; i < len(text) && !strings.ContainsRune(ends, rune(text[i])); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		value.WriteByte(text[i])
	}
	return value.String()
}

// urlSpellings are a secret as it is written in a URL, and decoded; none if it is empty.
func urlSpellings(secret string) []string {
	if secret == "" {
		return nil
	}
	if plain, err := url.PathUnescape(secret); err == nil && plain != secret {
		return []string{secret, plain}
	}
	return []string{secret}
}
