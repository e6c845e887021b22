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
	// Setting is the setting of the address, the role or the server because of which the server refuses its work; empty:
	// it is another failure.
	Setting string
	cause   error
}

// Errors of Open.
var (
	// ErrNewer is returned for a schema that a newer version of the program has made.
	ErrNewer = errors.New("its tables were made by a newer version of payctl, which this one cannot write to")
	// ErrReadOnly is returned while a server accepts no writes: it is a standby, or was made read-only.
	ErrReadOnly = errors.New("the server accepts no writes: it is a standby, or read-only")
	// ErrForbidden is returned for a schema in which the user may create no tables.
	ErrForbidden = errors.New("permission denied for the schema")
	// ErrEncoding is returned for a database that cannot hold all names.
	ErrEncoding = errors.New("the database has not the encoding UTF8, but")
)

// SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const (
	codeReadOnly  = "25006"
	codeStarting  = "57P03"
	codeForbidden = "42501"
	classData     = "22" // data exceptions
)

// settingsByCode are the settings that end a statement or a session with a code.
var settingsByCode = map[string]string{
	"25P03": "idle_in_transaction_session_timeout", "57014": "statement_timeout", "55P03": "lock_timeout",
	"25P04": "transaction_timeout",
}

// namedParameter finds the setting that a message of the server is about.
var namedParameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`parameter "([a-z0-9_.]+)"`) })

// fail makes an Error.
func (s *Store) fail(err error) error {
	if _, made := errors.AsType[*Error](err); made {
		return err
	}
	failed := &Error{Where: s.where, cause: err}
	reported, ofServer := errors.AsType[*pgconn.PgError](err)
	switch {
	case ofServer && settingsByCode[reported.Code] != "":
		failed.Setting = settingsByCode[reported.Code]
	case ofServer && strings.Contains(reported.Message, "parameter"):
		// In words such as password=a b=c, what looks like a setting may be a part of the password.
		failed.Setting = "of the address"
		if name := namedParameter().FindStringSubmatch(reported.Message); name != nil && s.named[name[1]] {
			failed.Setting = name[1]
		}
		failed.cause = fmt.Errorf("the server refuses the setting %s (SQLSTATE %s)", failed.Setting, reported.Code)
	case !ofServer && strings.Contains(err.Error(), refusedTLS) && !isStarting(err):
		failed.Setting = "sslmode"
	}
	return failed
}

const refusedTLS = "server refused TLS connection"

// settingNames returns the names of the settings that are certain to be no part of a password: those of a URL.
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
		cause = connecting.Unwrap() // Where has what its text begins with
	}
	return "PostgreSQL at " + e.Where + ": " + reasons(cause.Error())
}

// reasons are those of all attempts to connect, a line each. Without sslmode each server is asked for TLS first: that
// it has none is no reason then.
func reasons(lines string) string {
	all := slices.Compact(strings.Split(lines, "\n")) // with and without TLS they are often the same
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
		// A host is there twice if it is tried with and without TLS.
		if len(hosts) == 0 || hosts[len(hosts)-1] != host {
			hosts = append(hosts, host)
		}
	}
	add(config.Host, config.Port)
	for _, other := range config.Fallbacks {
		add(other.Host, other.Port)
	}
	return fmt.Sprintf("%s, database %s, user %s", strings.Join(hosts, " or "), cmp.Or(config.Database, config.User), config.User)
}

// CodeOf is the SQLSTATE code of an error; empty: the error is not the server's.
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

// addressError explains why a URL cannot be used. It does not repeat any of it: the parts of a URL that is not
// well-formed are not what they seem, and the password may be in any of them. Nor does it wrap the error of pgx, which
// contains it.
func addressError(text string, err error) error {
	for _, known := range explanations {
		// A text that has the words itself can only cause a wrong explanation.
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

// explanations are those of the messages of pgx that name a setting. What follows a message is not repeated.
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

// checkAddress refuses URLs that pgx accepts although they are probably not meant so: a slash in a password that is not
// percent-encoded ends the host, so that the rest of the password would become the port or the database, which errors
// name.
func checkAddress(text string) error {
	if !isURL(text) {
		return nil
	}
	_, rest, _ := strings.Cut(text, "://")
	if i := strings.IndexAny(rest, "@/"); i >= 0 && rest[i] == '@' {
		rest = rest[i+1:] // of the user and the password
	}
	if strings.Contains(rest, "@") {
		return addressError(text, errors.New(""))
	}
	return nil
}
