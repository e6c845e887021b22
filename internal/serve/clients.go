package serve

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/settings"
)

// The client that the ready line names where no client is named on the command line.
const (
	sandboxClient = "sandbox"
	sandboxSecret = "sandbox-secret"
)

// namedClient is a client of --client.
type namedClient struct{ id, secret string }

// parseClients reads entries of the form ID:SECRET. First is the client that the ready line names; without any entry
// it is the sandbox client, and the map is nil: any client may log in.
func parseClients(entries []string) (clients map[string]string, first namedClient, err error) {
	if len(entries) == 0 {
		return nil, namedClient{sandboxClient, sandboxSecret}, nil
	}
	clients = map[string]string{}
	for _, entry := range entries {
		id, secret, ok := strings.Cut(entry, ":")
		if !ok || id == "" || secret == "" {
			return nil, first, cmdutil.Usage("--client must have the form ID:SECRET")
		}
		if strings.ContainsFunc(entry, unicode.IsControl) || !utf8.ValidString(entry) {
			return nil, first, cmdutil.Usage("--client %q has characters that credentials cannot have", id)
		}
		if len(id) > server.MaxClientID {
			return nil, first, cmdutil.Usage("--client %.20s… is longer than %d bytes", id, server.MaxClientID)
		}
		if known, named := clients[id]; named && known != secret {
			return nil, first, cmdutil.Usage("--client names %s twice, with two secrets", id)
		}
		if first.id == "" {
			first = namedClient{id, secret}
		}
		clients[id] = secret
	}
	return clients, first, nil
}

// ClientSecrets are the secrets in the variable of serve's flag --client, which has one ID:SECRET a line.
func ClientSecrets(getenv func(string) string) (secrets []string) {
	for line := range strings.Lines(getenv(settings.Variable("serve", "client"))) {
		if _, secret, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ":"); ok {
			secrets = append(secrets, secret)
		}
	}
	return secrets
}
