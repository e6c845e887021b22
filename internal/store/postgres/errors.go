package postgres

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// An Error is a failure of the database. It names the server, the database and the user, but never the password.
type Error struct {
	Where string // such as db.example.com:5432, database payctl, user app
	// Setting is the setting of the address, the role or the server that causes the failure, if a setting does.
	Setting string
	cause   error
}

// Errors of Open.
var (
	// ErrNewer means that a newer version of the program made the schema.
	ErrNewer = errors.New("a newer version of payctl made its tables, and this version cannot write to them")
	// ErrReadOnly means that the server accepts no writes.
	ErrReadOnly = errors.New("the server accepts no writes: it is a standby, or read-only")
	// ErrForbidden means that the user may not create tables in the schema.
	ErrForbidden = errors.New("permission denied for the schema")
	// ErrEncoding means that the database cannot hold all names. The name of its encoding follows.
	ErrEncoding = errors.New("the encoding of the database must be UTF8, but is")
)

// SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const (
	codeReadOnly  = "25006"
	codeStarting  = "57P03"
	codeForbidden = "42501"
	classData     = "22" // data exceptions
)

// settingsByCode are the settings that end a statement or a session, by SQLSTATE.
var settingsByCode = map[string]string{
	"25P03": "idle_in_transaction_session_timeout", "57014": "statement_timeout", "55P03": "lock_timeout",
	"25P04": "transaction_timeout",
}

// namedParameter finds the setting that a message of the server names.
var namedParameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`parameter "([a-z0-9_.]+)"`) })

// fail returns err as an *Error.
func (s *Store) fail(err error) error {
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	failed := &Error{Where: s.where, cause: err}
	reported, isServerError := errors.AsType[*pgconn.PgError](err)
	switch {
	case isServerError && settingsByCode[reported.Code] != "":
		failed.Setting = settingsByCode[reported.Code]
	case isServerError && strings.Contains(reported.Message, "parameter"):
		// In words such as password=a b=c, b may be a part of the password instead of a setting.
		failed.Setting = "of the address"
		if name := namedParameter().FindStringSubmatch(reported.Message); name != nil && s.named[name[1]] {
			failed.Setting = name[1]
		}
		failed.cause = fmt.Errorf("the server refuses the setting %s (SQLSTATE %s)", failed.Setting, reported.Code)
	case !isServerError && strings.Contains(err.Error(), refusedTLS) && !isStarting(err):
		failed.Setting = "sslmode"
	}
	return failed
}

const refusedTLS = "server refused TLS connection"

// settingNames returns the names of the settings of a URL, which cannot be a part of a password.
func settingNames(address string) map[string]bool {
	names := map[string]bool{"search_path": true}
	for name := range sessionSettings {
		names[name] = true
	}
	if parsed, err := url.Parse(address); err == nil && isURL(address) {
		for name := range parsed.Query() {
			names[name] = true
		}
	}
	return names
}

// Error implements error.
func (e *Error) Error() string {
	cause := e.cause
	var connecting *pgconn.ConnectError
	if errors.As(cause, &connecting) {
		cause = connecting.Unwrap() // its text begins with the same as Where
	}
	return "PostgreSQL at " + e.Where + ": " + reasons(cause.Error())
}

// reasons joins the reasons of all attempts to connect, one a line. Without sslmode, pgx tries each server with TLS and
// then without. A server without TLS is therefore not a reason.
func reasons(lines string) string {
	all := slices.Compact(strings.Split(lines, "\n")) // often the same with and without TLS
	counting := slices.DeleteFunc(slices.Clone(all), func(line string) bool {
		server, hasNoTLS := strings.CutSuffix(line, "tls error: "+refusedTLS)
		return hasNoTLS && slices.ContainsFunc(all, func(other string) bool {
			return other != line && strings.HasPrefix(other, server)
		})
	})
	return strings.Join(counting, "; ")
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// where describes the servers, the database and the user of a configuration.
func where(config *pgx.ConnConfig) string {
	var hosts []string
	add := func(host string, port uint16) {
		if !filepath.IsAbs(host) {
			host = net.JoinHostPort(host, strconv.Itoa(int(port)))
		}
		// A host appears twice if pgx tries it with and without TLS.
		if len(hosts) == 0 || hosts[len(hosts)-1] != host {
			hosts = append(hosts, host)
		}
	}
	add(config.Host, config.Port)
	for _, other := range config.Fallbacks {
		add(other.Host, other.Port)
	}
	database := cmp.Or(config.Database, config.User)
	return fmt.Sprintf("%s, database %s, user %s", strings.Join(hosts, " or "), database, config.User)
}

// CodeOf is the SQLSTATE code of an error of the server, or "" for other errors.
func CodeOf(err error) string {
	if reported, ok := errors.AsType[*pgconn.PgError](err); ok {
		return reported.Code
	}
	return ""
}

// isStarting reports whether a database refuses connections, or is starting or stopping.
func isStarting(err error) bool {
	_, connecting := errors.AsType[*net.OpError](err)
	return CodeOf(err) == codeStarting || connecting &&
		(errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist)) // of a socket
}

// addressError explains why a URL cannot be used. It does not repeat any part of the URL, nor wrap the error of pgx,
// which does: in a malformed URL, any part may contain the password.
func addressError(text string, err error) error {
	for _, known := range explanations {
		// If the address contains the message, the error may only repeat the address.
		if strings.Contains(err.Error(), known.message) && !strings.Contains(text, known.message) {
			return errors.New("the database's address has a setting that cannot be used: " + known.explanation)
		}
	}
	if isURL(text) {
		return errors.New("the database's address is not a valid URL such as postgres://USER:PASSWORD@HOST:5432/DATABASE; " +
			"write special characters in a name or a password as percent-encoded bytes, such as %40 for @ and %2F for /")
	}
	return errors.New("the database's address is neither a URL such as postgres://USER:PASSWORD@HOST:5432/DATABASE nor " +
		"settings such as host=HOST dbname=DATABASE; quote a value with spaces in single quotes")
}

// explanations are for the messages of pgx that name a setting. They do not repeat the rest of the message.
var explanations = []struct{ message, explanation string }{
	{"could not match", "the number of ports differs from the number of hosts"},
	{"invalid port", "a port is a number from 1 to 65535"},
	{"invalid connect_timeout", "connect_timeout is a number of seconds"},
	{"failed to read service", "the service is not in the service file; see PGSERVICEFILE"},
	{"failed to configure TLS", "check sslmode, and that the files of sslrootcert, sslcert and sslkey can be read"},
	{"unknown target_session_attrs", "target_session_attrs is read-write"},
	{"invalid sslcertmode", "sslcertmode is disable, allow or require"},
	{"invalid default_query_exec_mode", "default_query_exec_mode is cache_statement or exec"},
	{"invalid require_auth", "require_auth is a list of methods such as scram-sha-256"},
	{"invalid channel_binding", "channel_binding is disable, prefer or require"},
	{"invalid sslnegotiation", "sslnegotiation is postgres or direct"},
}

func isURL(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// checkAddress refuses URLs with an unencoded slash in the password, which pgx accepts. The slash ends the host. The
// rest of the password would become the port or the database, which errors name.
func checkAddress(text string) error {
	if !isURL(text) {
		return nil
	}
	_, rest, _ := strings.Cut(text, "://")
	if i := strings.IndexAny(rest, "@/"); i >= 0 && rest[i] == '@' {
		rest = rest[i+1:] // without the user and the password
	}
	if strings.Contains(rest, "@") {
		return addressError(text, errors.New(""))
	}
	return nil
}
