package postgres

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// tlsMode finds sslmode in an address, as a parameter of a URL or as a word.
var tlsMode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[?&\s])sslmode\s*=`) })

// guardPassword removes the connection attempts that would send a password to another machine without TLS, unless the
// address or the environment has sslmode. libpq makes such an attempt by default if a server offers no TLS, and an
// attacker in between can pretend that.
func guardPassword(conn *pgx.ConnConfig, address string) {
	chosen := tlsMode().MatchString(address) || os.Getenv("PGSSLMODE") != ""
	// If the first attempt has no TLS, sslmode is in a service file.
	if conn.Password == "" || chosen || conn.TLSConfig == nil && !isThisMachine(conn.Host) {
		return
	}
	conn.Fallbacks = slices.DeleteFunc(conn.Fallbacks, func(f *pgconn.FallbackConfig) bool {
		return f.TLSConfig == nil && !isThisMachine(f.Host)
	})
}

// isThisMachine reports whether a host is a socket or a loopback address.
func isThisMachine(host string) bool {
	return filepath.IsAbs(host) || strings.HasPrefix(host, "@") || host == "localhost" || net.ParseIP(host).IsLoopback()
}
