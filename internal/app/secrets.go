package app

import (
	"net/url"
	"strings"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/settings"
)

// environmentSecrets are the credentials in the environment: the service's, and the passwords in proxies' URLs. Proxy
// variables that are no valid URL are searched too, since the error that says so repeats them.
func environmentSecrets(getenv func(string) string) []string {
	secrets := []string{getenv(settings.EnvToken), getenv(settings.EnvSecret)}
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
