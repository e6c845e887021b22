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

// tlsMode finds the setting sslmode in an address, as a parameter of a URL or as a word.
var tlsMode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[?&\s])sslmode\s*=`) })

// guardPassword leaves out the attempts to connect that would send a password to another machine without TLS, unless
// the address or the environment has sslmode. By libpq's default such an attempt follows if a server offers no TLS,
// also if somebody in between only says so.
func guardPassword(conn *pgx.ConnConfig, address string) {
	chosen := tlsMode().MatchString(address) || os.Getenv("PGSSLMODE") != ""
	// Without TLS at first, a service file has chosen.
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
