package app

import (
	"net/url"
	"strings"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/settings"
)

// environmentSecrets are the credentials in the environment: the service's, those of the clients of serve, and the
// passwords for its database and in proxies' URLs. Variables that are no valid URL are searched too, since the error
// that says so repeats them.
func environmentSecrets(getenv func(string) string) []string {
	secrets := []string{getenv(settings.EnvToken), getenv(settings.EnvSecret)}
	secrets = append(secrets, serveSecrets(getenv)...)
	secrets = append(secrets, getenv("PGPASSWORD"))
	secrets = append(secrets, databaseSecrets(getenv(settings.Variable("serve", "database")))...)
	for _, name := range client.ProxyVariables() {
		secrets = append(secrets, urlSecrets(getenv(name))...)
	}
	return secrets
}

// argumentSecrets are the passwords in arguments that name a database, behind whatever flag: the error about a wrong
// flag may repeat its value.
func argumentSecrets(args []string) (secrets []string) {
	for _, arg := range args {
		secrets = append(secrets, databaseSecrets(arg)...)
	}
	return secrets
}

// databaseSecrets are the passwords in a connection string of libpq, which may be malformed.
func databaseSecrets(text string) []string {
	secrets := databasePasswords(text)
	if strings.Contains(text, "://") {
		secrets = append(secrets, urlSecrets(text)...)
	}
	return secrets
}

// urlSecrets are the password in a URL, up to the last @, as it is written and decoded. The scheme may be missing.
func urlSecrets(address string) []string {
	if _, behind, found := strings.Cut(address, "://"); found {
		address = behind
	}
	return spellings(passwordBefore(address, strings.LastIndexByte(address, '@')))
}

// passwordBefore returns the password of a text USER:PASSWORD@HOST with an @ at an index; empty: there is none.
func passwordBefore(text string, at int) string {
	_, password, _ := strings.Cut(text[:max(at, 0)], ":")
	return password
}

// databasePasswords are the passwords in a connection string of libpq: a URL, whose query may have them too, or words
// such as password='a b'.
func databasePasswords(text string) (passwords []string) {
	if _, authority, isURL := strings.Cut(text, "://"); isURL {
		if end := strings.IndexAny(authority, "/?#"); end >= 0 {
			authority = authority[:end]
		}
		passwords = spellings(passwordBefore(authority, strings.LastIndexByte(authority, '@')))
	}
	for {
		_, behind, found := strings.Cut(text, "password") // sslpassword too
		if !found {
			return passwords
		}
		text = strings.TrimLeft(behind, " \t")
		if value, isValue := strings.CutPrefix(text, "="); isValue {
			passwords = append(passwords, spellings(connectionValue(strings.TrimLeft(value, " \t")))...)
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

// spellings are a secret as it is written in a URL, and decoded; none if it is empty.
func spellings(secret string) []string {
	if secret == "" {
		return nil
	}
	if plain, err := url.PathUnescape(secret); err == nil && plain != secret {
		return []string{secret, plain}
	}
	return []string{secret}
}

// serveSecrets are the secrets in the variable of serve's flag --client, which has one ID:SECRET a line.
func serveSecrets(getenv func(string) string) (secrets []string) {
	for line := range strings.Lines(getenv(settings.Variable("serve", "client"))) {
		if _, secret, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ":"); ok {
			secrets = append(secrets, secret)
		}
	}
	return secrets
}
