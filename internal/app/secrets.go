package app

import (
	"net/url"
	"strings"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/settings"
)

// environmentSecrets are the credentials in the environment: the service's, those of the clients of serve, and the
// passwords in proxies' URLs. Proxy variables that are no valid URL are searched too, since the error that says so repeats them.
func environmentSecrets(getenv func(string) string) []string {
	secrets := []string{getenv(settings.EnvToken), getenv(settings.EnvSecret)}
	secrets = append(secrets, serveSecrets(getenv)...)
	for _, name := range client.ProxyVariables() {
		address := getenv(name)
		if _, behind, found := strings.Cut(address, "://"); found {
			address = behind
		}
		at := strings.LastIndexByte(address, '@')
		if at < 0 {
			continue
		}
		_, password, _ := strings.Cut(address[:at], ":")
		secrets = append(secrets, password)
		if plain, err := url.PathUnescape(password); err == nil {
			secrets = append(secrets, plain)
		}
	}
	return secrets
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
