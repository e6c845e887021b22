package e2e

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	neturl "net/url"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/testkit"
)

// serversVariable is the number of servers of each service in a test; set it to run the tests with several.
// databaseVariable is the database that they share; the tests set it.
const (
	serversVariable  = "PAYCTL_TEST_SERVERS"
	databaseVariable = "PAYCTL_TEST_DATABASE"
)

// ofOneServer are the tests of one server or its folder. They do not run with several servers.
var ofOneServer = map[string]string{
	"TestScripts/environment":          "finds the file of --data at its end",
	"TestScripts/paths":                "looks into folders of --data",
	"TestScripts/wide":                 "looks for the folder of --data",
	"TestScripts/sandbox":              "compares identifiers of --seed with those of another run",
	"TestScripts/serve_data":           "looks into the folder of --data",
	"TestPageByClicks":                 "the link of the page is of one server",
	"TestPageShowsHostileTextsAsTexts": "the link of the page is of one server",
	"TestRenamesAreOnTheDisk":          "traces the system calls of a service, with the copy of a folder",
}

// parallel is the minimum number of tests that run at the same time.
const parallel = 6

// sharing runs tests, with a database if each service consists of several servers.
type sharing struct{ *testing.M }

// Run runs the tests and returns the exit code.
func (s sharing) Run() int {
	if signal.Ignored(syscall.SIGHUP) { // as under nohup; started programs get the default again
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	flag.Parse()
	// Most tests wait for programs that start or wait themselves.
	if err := flag.Set("test.parallel", strconv.Itoa(max(parallel, runtime.GOMAXPROCS(0)))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if os.Getenv(serversVariable) == "" {
		return s.M.Run()
	}
	database, err := testkit.RunPostgres("fsync=off") // nothing kills it
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer database.Remove()
	var skipped []string
	for name := range ofOneServer {
		skipped = append(skipped, "^"+strings.ReplaceAll(name, "/", "$/^")+"$")
	}
	if others := flag.Lookup("test.skip").Value.String(); others != "" {
		skipped = append(skipped, others)
	}
	err = errors.Join(os.Setenv(databaseVariable, database.URL()), flag.Set("test.skip", strings.Join(skipped, "|")))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return s.M.Run()
}

// TestManyServers runs some scripts with services of several servers. With PAYCTL_TEST_SERVERS, as in CI, all tests do.
func TestManyServers(t *testing.T) {
	t.Parallel()
	if os.Getenv(serversVariable) != "" {
		t.Skip("all tests have several servers")
	}
	database, _ := testkit.NewDatabase(t)
	variables := map[string]string{serversVariable: "4", databaseVariable: database}
	_, url := serveWith(t, quick, func(name string) string { return variables[name] })
	params := scripts("", url)
	for _, script := range []string{"events", "faults", "resolve", "transfer"} {
		params.Files = append(params.Files, filepath.Join("testdata", script+".txtar"))
	}
	setup := params.Setup
	params.Setup = func(env *testscript.Env) error {
		err := setup(env)
		for name, value := range variables {
			env.Setenv(name, value)
		}
		return err
	}
	testscript.Run(t, params)
}

// startServers creates a service: one server with the given configuration, or several with one database in one process.
// Then a random server answers each request. The servers share only the connections of clients. Closing the first does
// not close the rest.
func startServers(
	config refserver.Config, getenv func(string) string,
) (first *refserver.Server, rest []*refserver.Server, err error) {
	url := getenv(databaseVariable)
	if url == "" {
		first, err = refserver.New(config)
		return first, nil, err
	}
	count, err := strconv.Atoi(getenv(serversVariable))
	if err != nil {
		return nil, nil, err
	}
	if config.Database == nil {
		if config.Database, err = ownSchema(url, config.Data); err != nil {
			return nil, nil, err
		}
		config.Data = ""
	}
	if first, err = refserver.New(config); err != nil {
		return nil, nil, err
	}
	handlers := []http.Handler{first.Handler}
	for len(handlers) < count {
		next, err := refserver.New(config)
		if err != nil {
			return nil, nil, errors.Join(err, closeServers(append(rest, first)))
		}
		handlers, rest = append(handlers, next.Handler), append(rest, next)
	}
	first.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handlers[mathrand.IntN(len(handlers))].ServeHTTP(w, r)
	})
	return first, rest, nil
}

func closeServers(servers []*refserver.Server) (err error) {
	for _, s := range servers {
		err = errors.Join(err, s.Close())
	}
	return err
}

// ownSchema returns a database with a new schema, or with the schema for a folder, which several services may open.
func ownSchema(url, folder string) (*refserver.Database, error) {
	schema := "servers_" + strings.ToLower(rand.Text()[:12])
	if folder != "" {
		path, err := filepath.Abs(folder)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256([]byte(path))
		schema = "folder_" + hex.EncodeToString(sum[:6])
	}
	at, err := neturl.Parse(url)
	if err != nil {
		return nil, err
	}
	query := at.Query()
	query.Set("search_path", schema)
	at.RawQuery = query.Encode()
	return &refserver.Database{URL: at.String()}, nil
}

// TestDatabaseScripts runs scripts with a PostgreSQL server that libpq's variables name. Its roles have the password
// open-sesame: owner may create schemas, guest may not, and reader may write nothing. The command sql runs a statement
// as the superuser. For the command page see operatingPage.
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
