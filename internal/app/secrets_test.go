package app

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/serve"
)

func TestSecretsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	for address, password := range map[string]string{
		"http://ada:pass-of-proxy@proxy.test:3128": "pass-of-proxy", "ada:pass-of-proxy@proxy.test": "pass-of-proxy",
		"http://ada:p%40ss-of-proxy@x y":      "p@ss-of-proxy",
		"http://ada:pass@of:proxy@proxy.test": "pass@of:proxy", "http://proxy.test:3128": "", "http://ada@proxy.test": "",
		"": "",
	} {
		for _, name := range []string{"HTTPS_PROXY", "http_proxy", "ALL_PROXY"} {
			found := environmentSecrets(func(asked string) string {
				return map[string]string{name: address, "PAYCTL_TOKEN": "token-0001", "PAYCTL_CLIENT_SECRET": "secret-0001"}[asked]
			})
			require.Subset(t, found, []string{"token-0001", "secret-0001", password}[:2+min(len(password), 1)], address)
		}
	}
}

// The secrets of serve's clients are known, so that no output shows them by mistake.
func TestSecretsOfServesClients(t *testing.T) {
	t.Parallel()
	found := serve.ClientSecrets(func(string) string { return "ada:one:two\r\n\nbob:three\nnobody" })
	require.Equal(t, []string{"one:two", "three"}, found)
}

// The passwords in a connection string are known, whatever its form, so that no error shows them.
func TestPasswordsOfDatabases(t *testing.T) {
	t.Parallel()
	for text, passwords := range map[string][]string{
		"postgres://ada:secret-1@db.test:5432/payctl?sslmode=require": {"secret-1"},
		"postgresql://ada:s%40cret%2F1@db1,db2:5433/payctl":           {"s%40cret%2F1", "s@cret/1"},
		"postgres://db.test/payctl?user=ada&password=secret%202&x=y":  {"secret%202", "secret 2"},
		"postgres://ada@db.test:5432/payctl?application_name=a@b":     nil,
		"postgres://":         nil,
		"service=payctl":      nil,
		"passwordless=please": nil,
		"host=db.test password=secret-3 user=ada":             {"secret-3"},
		`password = 'it''s' sslpassword='it\'s \\ "quoted" '`: {"it", `it's \ "quoted" `},
		"password=": nil,
		"":          nil,
	} {
		require.Equal(t, passwords, redact.DatabaseSecrets(text), text)
		require.Subset(t, argumentSecrets([]string{"serve", "--databse=" + text}), passwords, text)
	}
	require.Contains(t, redact.DatabaseSecrets("postgres://ada:sec/ret@db.test/payctl"), "sec/ret",
		"it is not escaped, and the error repeats it")
	found := environmentSecrets(func(name string) string {
		return map[string]string{"PGPASSWORD": "secret-4", "PAYCTL_SERVE_DATABASE": "postgres://ada:secret-5@db"}[name]
	})
	require.Subset(t, found, []string{"secret-4", "secret-5"})
}
