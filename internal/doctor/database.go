package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/shell"
)

// databaseTimeout is how long the examination of a database may take: shorter than the whole, so that it names the
// reason.
const databaseTimeout = 10 * time.Second

// database is a check of what is known of the database of serve.
func (e *examination) database(judge func(refserver.DatabaseReport) findings) func(context.Context) findings {
	return func(context.Context) findings {
		if report, err := e.inspect(); err == nil {
			return judge(report)
		}
		return skip("The database could not be examined.")
	}
}

// connection checks whether the database can be reached, and how.
func (e *examination) connection(context.Context) findings {
	report, err := e.inspect()
	if err == nil {
		return connected(report)
	}
	kind, next := payments.KindUnusable, ""
	if unusable, isOwn := errors.AsType[*refserver.DatabaseError](err); isOwn {
		kind, next = unusable.Kind, unusable.Next
	}
	return fail(kind, next, "%s", payments.Sentence(err.Error()))
}

func connected(r refserver.DatabaseReport) findings {
	version, _, _ := strings.Cut(r.Version, " ") // the rest names the package
	at := fmt.Sprintf("PostgreSQL %s answers at %s in %s, as %s in the database %s", version, r.Server,
		r.RoundTrip.Round(time.Microsecond), r.User, r.Database)
	switch {
	case r.ReadOnly:
		return fail(payments.KindInvalidSettings,
			"name the primary server; among several hosts of a URL, target_session_attrs=read-write finds it",
			"%s, but it is a standby or refuses writes.", at)
	case !r.Encrypted && !r.Local:
		return warn("add sslmode=verify-full to the URL, and sslrootcert=FILE for an authority of your own",
			"%s, without encryption: what is sent can be read on its way.", at)
	case r.Local:
		return ok("%s, on this machine.", at)
	}
	return ok("%s, with TLS.", at)
}

// schema checks the version of the tables, and whether the user may use them.
func schema(r refserver.DatabaseReport) findings {
	user := `"` + strings.ReplaceAll(r.User, `"`, `""`) + `"` // the name of the schema needs no quotes in SQL
	versions := fmt.Sprintf("%s is at version %d of %d", r.Schema, r.Tables, r.Wanted)
	switch {
	case r.Tables > r.Wanted:
		return fail(payments.KindInvalidSettings, "install the later version",
			"%s: a later version of payctl has made it, and this one does not use it.", versions)
	case r.Tables == 0 && !r.CanCreate && r.Exists:
		return fail(payments.KindInvalidSettings, grants("USAGE, CREATE", r.Schema, user),
			"%s may not use the schema %s, or not create its tables.", r.User, r.Schema)
	case r.Tables == 0 && !r.CanCreate:
		create := shell.Hint("have an administrator of the database run: psql -c STATEMENT",
			shell.Values{"STATEMENT": "CREATE SCHEMA " + r.Schema + " AUTHORIZATION " + user})
		return fail(payments.KindInvalidSettings, create, "There is no schema %s, and %s may not create it.", r.Schema, r.User)
	case r.Tables == 0:
		return ok("There is nothing in the schema %s yet; the first server creates its tables.", r.Schema)
	case !r.CanWrite:
		return fail(payments.KindInvalidSettings, grants("USAGE", r.Schema, user),
			"%s, but %s may not read and write all of its tables.", versions, r.User)
	}
	return ok("%s; %s may read and write it.", versions, r.User)
}

// grants returns the advice to give a user rights on a schema, and on the tables in it.
func grants(rights, schema, user string) string {
	return shell.Hint("have the owner of the schema run: psql -c STATEMENT -c OTHER", shell.Values{
		"STATEMENT": "GRANT " + rights + " ON SCHEMA " + schema + " TO " + user,
		"OTHER":     "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + schema + " TO " + user,
	})
}

// durability checks whether the server keeps what it has acknowledged.
func durability(r refserver.DatabaseReport) (all findings) {
	for _, name := range []string{"fsync", "full_page_writes", "synchronous_commit"} {
		if r.Settings[name] == "off" {
			all = append(all, warn("set it to on, in postgresql.conf or for the role",
				"The server runs with %s = off: what it has acknowledged can be lost if it fails.", name)...)
		}
	}
	if len(all) == 0 {
		return ok("What the server acknowledges is on its disk.")
	}
	return all
}
