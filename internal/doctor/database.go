package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

// databaseTimeout is how long the examination of a database may take: shorter than the whole, so that it names the
// reason.
const databaseTimeout = 10 * time.Second

// A Database is a database of `payctl serve` to examine.
type Database struct {
	// Inspect examines it without a change. The error is a *payments.ProblemError, with what to do in Next.
	Inspect func(context.Context) (DatabaseReport, error)
}

// A DatabaseReport is what is known of a database.
type DatabaseReport struct {
	Server   string // address and port, or the folder of the socket
	Database string
	User     string
	Schema   string
	Version  string // of the server, such as 15.18
	// Tables is the version of the tables in the schema, zero if there are none; Wanted is that of the program.
	Tables, Wanted int
	// Exists is true if the schema exists, whatever is in it.
	Exists bool
	// CanCreate is true if the user may create the schema, or its tables.
	CanCreate bool
	// CanWrite is true if the user may read and write all tables; false also while there is none.
	CanWrite bool
	// ReadOnly is true if the server is a standby, or refuses writes.
	ReadOnly bool
	// Settings of the server that matter for keeping data: fsync, synchronous_commit, full_page_writes, server_encoding.
	Settings map[string]string
	// Connections in use by all clients, the most that the server allows, and the most that a server of payctl opens.
	Connections, MaxConnections, WantedConnections int
	// Local is true for a Unix socket or a loopback address.
	Local bool
	// Encrypted is true if the connection uses TLS.
	Encrypted bool
	// RoundTrip is how long the server takes to respond.
	RoundTrip time.Duration
}

// isConnected returns what is known of the database. If nothing is, it adds to a check why that is skipped.
func (e *examination) isConnected(c *check) (found DatabaseReport, ok bool) {
	if e.Offline {
		c.skip("--offline leaves the network out.")
		return found, false
	}
	found, err := e.database()
	if err != nil {
		c.skip("The database could not be examined.")
	}
	return found, err == nil
}

// connection checks whether the database can be reached, and how.
func (e *examination) connection(_ context.Context, c *check) {
	if e.Offline {
		e.isConnected(c)
		return
	}
	found, err := e.database()
	if err != nil {
		problem, isProblem := errors.AsType[*payments.ProblemError](err)
		if !isProblem {
			problem = payments.NewLocalProblem(payments.KindUnusable, err, "", "%v", err)
		}
		c.fail(problem.Kind(), "%s", payments.Sentence(problem.Detail)).remedy(problem.Next)
		return
	}
	version, _, _ := strings.Cut(found.Version, " ") // the rest names the package
	at := fmt.Sprintf("PostgreSQL %s answers at %s in %s, as %s in the database %s", version, found.Server,
		found.RoundTrip.Round(time.Microsecond), found.User, found.Database)
	switch {
	case found.ReadOnly:
		c.fail(payments.KindInvalidSettings, "%s, but it is a standby or refuses writes.", at).
			Advice = "name the primary server; among several hosts of a URL, target_session_attrs=read-write finds it"
	case !found.Encrypted && !found.Local:
		c.warn("%s, without encryption: what is sent can be read on its way.", at).
			Advice = "add sslmode=verify-full to the URL, and sslrootcert=FILE for an authority of your own"
	case found.Local:
		c.ok("%s, on this machine.", at)
	default:
		c.ok("%s, with TLS.", at)
	}
}

// schema checks the version of the tables, and whether the user may use them.
func (e *examination) schema(_ context.Context, c *check) {
	found, ok := e.isConnected(c)
	if !ok {
		return
	}
	// The name needs no quotes in SQL, that of the user may.
	user := `"` + strings.ReplaceAll(found.User, `"`, `""`) + `"`
	versions := fmt.Sprintf("%s is at version %d of %d", found.Schema, found.Tables, found.Wanted)
	switch {
	case found.Tables > found.Wanted:
		c.fail(payments.KindInvalidSettings,
			"%s: a later version of payctl has made it, and this one does not use it.", versions).
			Advice = "install the later version"
	case found.Tables == 0 && !found.CanCreate && found.Exists:
		c.fail(payments.KindInvalidSettings, "%s may not use the schema %s, or not create its tables.",
			found.User, found.Schema).Advice = grants("USAGE, CREATE", found.Schema, user)
	case found.Tables == 0 && !found.CanCreate:
		c.fail(payments.KindInvalidSettings, "There is no schema %s, and %s may not create it.", found.Schema, found.User).
			Advice = shell.Hint("have an administrator of the database run: psql -c STATEMENT",
			shell.Values{"STATEMENT": "CREATE SCHEMA " + found.Schema + " AUTHORIZATION " + user})
	case found.Tables == 0:
		c.ok("There is nothing in the schema %s yet; the first server creates its tables.", found.Schema)
	case !found.CanWrite:
		c.fail(payments.KindInvalidSettings, "%s, but %s may not read and write all of its tables.", versions, found.User).
			Advice = grants("USAGE", found.Schema, user)
	default:
		c.ok("%s; %s may read and write it.", versions, found.User)
	}
}

// grants returns the advice to give a user rights on a schema, and on the tables in it.
func grants(rights, schema, user string) string {
	return shell.Hint("have the owner of the schema run: psql -c STATEMENT -c OTHER", shell.Values{
		"STATEMENT": "GRANT " + rights + " ON SCHEMA " + schema + " TO " + user,
		"OTHER":     "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + schema + " TO " + user,
	})
}

// durability checks the settings with which the server keeps what it has acknowledged.
func (e *examination) durability(_ context.Context, c *check) {
	found, ok := e.isConnected(c)
	if !ok {
		return
	}
	for _, setting := range []struct{ name, why, advice string }{
		{"fsync", "all data can be lost if its machine fails", "set it to on in postgresql.conf"},
		{"full_page_writes", "pages can be torn if its machine fails", "set it to on in postgresql.conf"},
		{
			"synchronous_commit", "the latest acknowledged writes can be lost if it fails",
			"set it to on, in postgresql.conf or for the role",
		},
	} {
		if found.Settings[setting.name] == "off" {
			c.warn("The server runs with %s = off: %s.", setting.name, setting.why).Advice = setting.advice
		}
	}
	if encoding := found.Settings["server_encoding"]; encoding != "" && encoding != "UTF8" {
		c.fail(payments.KindInvalidSettings, "The database has the encoding %s, which cannot hold all names.", encoding).
			Advice = "create another one with ENCODING 'UTF8' TEMPLATE template0"
	}
	if len(c.findings) == 0 {
		c.ok("What the server acknowledges is on its disk.")
	}
}

// connections checks whether the server has enough connections left for another server of payctl.
func (e *examination) connections(_ context.Context, c *check) {
	found, ok := e.isConnected(c)
	if !ok {
		return
	}
	used := fmt.Sprintf("%d of %d connections are in use", found.Connections, found.MaxConnections)
	wanted := found.WantedConnections
	if found.MaxConnections-found.Connections < wanted {
		c.warn("%s, and each server of payctl opens up to %d.", used, wanted).
			Advice = "raise max_connections, or give each server fewer with pool_max_conns in --database"
		return
	}
	c.ok("%s; each server of payctl opens up to %d.", used, wanted)
}
