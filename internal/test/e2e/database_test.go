package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/payctl/payctl/internal/test/testkit"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestDatabaseScripts runs scripts with a PostgreSQL server to which libpq's variables lead. There are roles with the
// password open-sesame: owner, who may create schemas, guest, and reader, who may write nothing. The command sql runs a
// statement as the superuser; for page see operatingPage.
func TestDatabaseScripts(t *testing.T) {
	t.Parallel()
	server := testkit.StartPostgres(t)
	server.Exec(t, "CREATE ROLE owner LOGIN PASSWORD 'open-sesame'; GRANT CREATE ON DATABASE postgres TO owner")
	server.Exec(t, "CREATE ROLE guest LOGIN PASSWORD 'open-sesame'; CREATE ROLE reader LOGIN PASSWORD 'open-sesame'")
	server.Exec(t, "ALTER ROLE reader SET default_transaction_read_only = on")
	params := scripts("testdata/database", serve(t))
	setup := params.Setup
	params.Setup = func(env *testscript.Env) error {
		env.Setenv("PGHOST", filepath.Dir(server.Socket()))
		env.Setenv("PGDATABASE", "postgres")
		return setup(env)
	}
	params.Cmds["sql"] = func(_ *testscript.TestScript, _ bool, args []string) {
		server.Exec(t, strings.Join(args, " "))
	}
	operatingPage(t, &params)
	testscript.Run(t, params)
}
