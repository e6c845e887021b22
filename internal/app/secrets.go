package app

import (
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/serve"
	"github.com/payctl/payctl/internal/settings"
)

// environmentSecrets are the credentials in the environment: for the service, of the clients of serve, for its
// database, and in proxy URLs. An invalid URL counts too, since the error repeats it.
func environmentSecrets(getenv func(string) string) []string {
	secrets := []string{getenv(settings.EnvToken), getenv(settings.EnvSecret), getenv(settings.EnvWebhookSecret)}
	secrets = append(secrets, serve.ClientSecrets(getenv)...)
	secrets = append(secrets, getenv("PGPASSWORD"), getenv("PGSSLPASSWORD"))
	secrets = append(secrets, redact.DatabaseSecrets(getenv(settings.Variable("serve", "database")))...)
	for _, name := range client.ProxyVariables() {
		secrets = append(secrets, redact.URLPasswords(getenv(name))...)
	}
	return secrets
}

// argumentSecrets are the database passwords in any argument, since the error about an unknown flag may repeat its
// value.
func argumentSecrets(args []string) (secrets []string) {
	for _, arg := range args {
		secrets = append(secrets, redact.DatabaseSecrets(arg)...)
	}
	return secrets
}
