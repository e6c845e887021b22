package app

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSecretsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	for address, password := range map[string]string{
		"http://ada:pass-of-proxy@proxy.test:3128": "pass-of-proxy", "ada:pass-of-proxy@proxy.test": "pass-of-proxy", "http://ada:p%40ss-of-proxy@x y": "p@ss-of-proxy",
		"http://ada:pass@of:proxy@proxy.test": "pass@of:proxy", "http://proxy.test:3128": "", "http://ada@proxy.test": "", "": "",
	} {
		for _, name := range []string{"HTTPS_PROXY", "http_proxy", "ALL_PROXY"} {
			found := environmentSecrets(func(asked string) string {
				return map[string]string{name: address, "PAYCTL_TOKEN": "token-0001", "PAYCTL_CLIENT_SECRET": "secret-0001"}[asked]
			})
			require.Subset(t, found, []string{"token-0001", "secret-0001", password}[:2+min(len(password), 1)], address)
		}
	}
}

// The secrets of serve's clients are among them: the program that prints them by mistake hides them.
func TestSecretsOfServesClients(t *testing.T) {
	t.Parallel()
	found := serveSecrets(func(string) string { return "ada:one:two\r\n\nbob:three\nnobody" })
	require.Equal(t, []string{"one:two", "three"}, found)
}
