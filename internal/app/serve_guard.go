package app

import (
	"bytes"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/payctl/payctl/internal/cli/deps"
)

// maxClientFile is the most bytes of a --client-file.
const maxClientFile = 1 << 20

// guard refuses to let strangers in: off this machine, clients have to be named.
func guard(c deps.ServeConfig) error {
	if _, _, err := net.SplitHostPort(c.Addr); err != nil {
		return deps.Usage("--addr must have the form HOST:PORT, such as 127.0.0.1:8700")
	}
	if isLocal(c.Addr) || len(c.Clients) > 0 {
		return nil
	}
	return letsAnybodyIn(c.Addr)
}

// guardListener is guard for the address that was found for a name: localhost may have been made to lead off this machine.
func guardListener(c deps.ServeConfig, at net.Addr) error {
	if isLocal(at.String()) || len(c.Clients) > 0 && !isLocal(c.Addr) {
		return nil
	}
	return letsAnybodyIn(c.Addr + ", which is " + at.String() + ",")
}

func letsAnybodyIn(addr string) error {
	return &deps.UsageError{
		Reason: "serving on " + addr + " would let anybody on the network in",
		Hint:   "name who may with --client-file FILE (and use --tls-cert and --tls-key), or serve on 127.0.0.1",
	}
}

// isLocal says whether only this machine reaches an address.
func isLocal(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// readClients are the clients of a file. One that others may read is none for secrets, but it is not this program's to
// refuse: it may come from a secrets manager that mounts it so.
func readClients(path string) (clients []string, err error) {
	if path == "" {
		return nil, nil
	}
	text, err := readBounded(path, maxClientFile)
	if err != nil {
		return nil, deps.Usage("--client-file cannot be read: %v", err)
	}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		entry := strings.TrimRight(string(line), "\r\n")
		if entry == "" || strings.HasPrefix(entry, "#") {
			continue
		}
		if id, secret, ok := strings.Cut(entry, ":"); !ok || id == "" || secret == "" {
			return nil, deps.Usage("line %d of --client-file does not have the form ID:SECRET", number)
		}
		clients = append(clients, entry)
	}
	if len(clients) == 0 {
		return nil, deps.Usage("--client-file names no client")
	}
	return clients, nil
}

// hostNames are the names of --host as the service compares them. What can be no name would let nothing in, and whoever gave it
// would be told by each answer to give it.
func hostNames(flags []string) ([]string, error) {
	names := make([]string, 0, len(flags))
	for _, flag := range flags {
		name := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(flag, "["), "]"), "."))
		if _, err := netip.ParseAddr(name); err != nil && (name == "" || strings.ContainsFunc(name, notOfName)) {
			return nil, &deps.UsageError{Reason: fmt.Sprintf("--host %.100q is no name", flag), Hint: "give the name alone, such as host.docker.internal: no http://, no port, no path"}
		}
		names = append(names, name)
	}
	return names, nil
}

// notOfName says whether a character, in lower case, stands in no name of a host (RFC 1123 section 2.1; machines in the same
// network are often named with underscores).
func notOfName(c rune) bool {
	return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.' && c != '-' && c != '_'
}
