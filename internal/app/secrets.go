package app

import (
	"net/url"
	"strings"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/config"
)

// environmentSecrets are the credentials that the environment has: the service's, and those of proxies, which stand in their URLs.
// A URL that cannot be read has them too, and errors that say so would repeat it.
func environmentSecrets(getenv func(string) string) []string {
	secrets := []string{getenv(config.EnvToken), getenv(config.EnvSecret)}
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
