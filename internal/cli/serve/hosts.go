package serve

import (
	"net/netip"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

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
