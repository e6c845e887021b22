package doctor

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// healthy is a database with nothing to report.
func healthy() DatabaseReport {
	return DatabaseReport{
		Server: "db.test:5432", Database: "payctl", User: "ada", Schema: "payctl", Version: "15.18 (Debian 15.18-0)",
		Tables: 1, Wanted: 1, Exists: true, CanCreate: true, CanWrite: true, Connections: 5, MaxConnections: 100, WantedConnections: 8, Encrypted: true,
		Settings:  map[string]string{"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "server_encoding": "UTF8"},
		RoundTrip: time.Millisecond,
	}
}

// examineDatabase examines a database alone.
func examineDatabase(t *testing.T, found DatabaseReport, err error, offline bool) Report {
	subject := subjectOf(environment(t, "http://127.0.0.1:1"))
	subject.Offline, subject.OnlyDatabase = offline, true
	subject.Database = &Database{Inspect: func(context.Context) (DatabaseReport, error) { return found, err }}
	return Examine(t.Context(), subject)
}

func TestDatabase(t *testing.T) {
	t.Parallel()
	report := examineDatabase(t, healthy(), nil, false)
	require.Equal(t, Summary{OK: 4}, report.Summary, "%v", report.Checks)
	require.Equal(t, "PostgreSQL 15.18 answers at db.test:5432 in 1ms, as ada in the database payctl, with TLS.", report.Checks[0].Message)

	for name, c := range map[string]struct {
		change        func(*DatabaseReport)
		check         string
		result        Result
		message, then string
	}{
		"a standby": {func(r *DatabaseReport) { r.ReadOnly = true }, "database", Failed, "standby or refuses writes", "target_session_attrs=read-write"},
		"in clear":  {func(r *DatabaseReport) { r.Encrypted = false }, "database", Warning, "without encryption", "sslmode=verify-full"},
		"here":      {func(r *DatabaseReport) { r.Encrypted, r.Local = false, true }, "database", OK, "on this machine", ""},
		"newer":     {func(r *DatabaseReport) { r.Tables = 2 }, "schema", Failed, "at version 2 of 1: a later version of payctl", "install the later version"},
		"new":       {func(r *DatabaseReport) { r.Tables = 0 }, "schema", OK, "the first server creates its tables", ""},
		"not to be": {func(r *DatabaseReport) { r.Tables, r.Exists, r.CanCreate, r.User = 0, false, false, `a"b` }, "schema", Failed, "may not create it", `psql -c 'CREATE SCHEMA payctl AUTHORIZATION "a""b"'`},
		"no rights": {func(r *DatabaseReport) { r.CanWrite = false }, "schema", Failed, "may not read and write", `GRANT USAGE ON SCHEMA payctl TO "ada"`},
		"closed":    {func(r *DatabaseReport) { r.Tables, r.CanCreate = 0, false }, "schema", Failed, "ada may not use the schema payctl", `GRANT USAGE, CREATE ON SCHEMA payctl TO "ada"`},
		"unsafe":    {func(r *DatabaseReport) { r.Settings["fsync"] = "off" }, "durability", Warning, "fsync = off", "set it to on"},
		"hasty":     {func(r *DatabaseReport) { r.Settings["synchronous_commit"] = "off" }, "durability", Warning, "latest acknowledged writes", "set it to on"},
		"Latin":     {func(r *DatabaseReport) { r.Settings["server_encoding"] = "LATIN1" }, "durability", Failed, "LATIN1", "ENCODING 'UTF8'"},
		"crowded":   {func(r *DatabaseReport) { r.Connections = 95 }, "connections", Warning, "95 of 100 connections are in use, and each server of payctl opens up to 8", "pool_max_conns"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := healthy()
			c.change(&found)
			var others int
			for _, f := range examineDatabase(t, found, nil, false).Checks {
				if f.Check != c.check {
					require.Equal(t, OK, f.Result, "%v", f)
					others++
					continue
				}
				require.Equal(t, c.result, f.Result, f.Message)
				require.Contains(t, f.Message, c.message)
				if runtime.GOOS == "windows" && strings.Contains(c.then, `"`) { // which its shells do not read alike
					c.then = "psql -c STATEMENT"
				}
				require.Contains(t, f.Fix+f.Advice, c.then)
				require.Equal(t, c.result == Failed, f.Kind == payments.KindInvalidSettings)
			}
			require.Equal(t, 3, others)
		})
	}
}

// Of a database that cannot be examined, the reason is reported once.
func TestDatabaseThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	problem := payments.NewLocalProblem(payments.KindCredential, nil, "", "the password of ada is wrong")
	problem.Next = "set it in PGPASSWORD"
	report := examineDatabase(t, DatabaseReport{}, problem, false)
	require.Equal(t, Summary{Failed: 1, Skipped: 3}, report.Summary)
	require.Equal(t, Finding{Check: "database", Result: Failed, Message: "The password of ada is wrong.", Advice: "set it in PGPASSWORD", Kind: payments.KindCredential}, report.Checks[0])
	require.Equal(t, Summary{Skipped: 4}, examineDatabase(t, healthy(), nil, true).Summary)
}
