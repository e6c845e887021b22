package serve

import (
	"bytes"
	"context"
	"net/netip"
	"path/filepath"
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

// namedClient is a client of --client or --client-file.
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
		isPath := filepath.VolumeName(entry) != "" && filepath.IsAbs(entry) // C:\clients.txt, only on Windows
		if !ok || id == "" || secret == "" || isPath {
			return nil, first, cmdutil.Usage("--client must have the form ID:SECRET").
				WithHint("name a file of clients with --client-file FILE")
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

// maxClientFile is the most bytes of a --client-file: room for more clients than the service keeps.
const maxClientFile = 1 << 20

// readClients returns the ID:SECRET lines of a file; none for an empty path. The file may be readable by others:
// secrets managers mount files like that.
func readClients(ctx context.Context, d *cmdutil.Deps, path string) (entries []string, err error) {
	if path == "" {
		return nil, nil
	}
	text, err := d.Content(ctx, path, maxClientFile)
	if ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return nil, cmdutil.Usage("--client-file cannot be read: %v", err)
	}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		entry := strings.TrimRight(string(line), "\r\n")
		if entry == "" || strings.HasPrefix(entry, "#") {
			continue
		}
		if id, secret, ok := strings.Cut(entry, ":"); !ok || id == "" || secret == "" {
			return nil, cmdutil.Usage("line %d of --client-file does not have the form ID:SECRET", number)
		}
		entries = append(entries, entry)
	}
	if len(entries) == 0 {
		return nil, cmdutil.Usage("--client-file names no client")
	}
	return entries, nil
}

// hostNames returns the names of --host in the form in which the service compares them. Anything that is not a host
// name is refused, since no request would match it.
func hostNames(flags []string) ([]string, error) {
	names := make([]string, 0, len(flags))
	for _, flag := range flags {
		name := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(flag, "["), "]"), "."))
		if _, err := netip.ParseAddr(name); err != nil && (name == "" || strings.ContainsFunc(name, notInHostName)) {
			return nil, cmdutil.Usage("--host %.100q is no name", flag).
				WithHint("give the name alone, such as host.docker.internal: no http://, no port, no path")
		}
		names = append(names, name)
	}
	return names, nil
}

// notInHostName reports whether a lower-case character cannot be part of a host name (RFC 1123 section 2.1).
// Underscores are allowed, since names in local networks often have them.
func notInHostName(c rune) bool {
	return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.' && c != '-' && c != '_'
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
