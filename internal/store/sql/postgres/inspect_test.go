package postgres_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store/sql/postgres"
	"github.com/payctl/payctl/internal/test/pgtest"
)

func TestInspect(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t, "max_connections=20", "full_page_writes=off")
	s.Exec(t, "CREATE ROLE app LOGIN PASSWORD 'secret'; CREATE ROLE owner LOGIN PASSWORD 'secret'; GRANT CREATE ON DATABASE postgres TO owner")
	inspect := func(role string) postgres.Report {
		t.Helper()
		report, err := postgres.Inspect(t.Context(), postgres.Config{URL: s.URLFor(role, "secret")})
		require.NoError(t, err)
		return report
	}
	rights := func(r postgres.Report) []bool { return []bool{r.CanMigrate, r.CanWrite} }

	before := inspect("app")
	require.Equal(t, []bool{false, false}, rights(before), "it may not create the schema")
	require.Zero(t, before.Migration)
	require.Empty(t, before.UUID)
	require.Equal(t, []bool{true, false}, rights(inspect("owner")))

	openConfig(t, postgres.Config{URL: s.URLFor("owner", "secret")})
	report := inspect("owner")
	require.Equal(t, []bool{true, true}, rights(report))
	require.Positive(t, report.Wanted)
	require.Equal(t, report.Wanted, report.Migration)
	require.Len(t, report.UUID, 36)
	require.Equal(t, filepath.Dir(s.Socket()), report.Server)
	require.Equal(t, "postgres", report.Database)
	require.Equal(t, "owner", report.User)
	require.Equal(t, postgres.DefaultSchema, report.Schema)
	require.Equal(t, "PostgreSQL", report.Engine)
	require.Regexp(t, `^\d+`, report.Version)
	require.Equal(t, map[string]string{"fsync": "on", "synchronous_commit": "on", "full_page_writes": "off", "server_encoding": "UTF8"},
		report.Settings)
	require.Equal(t, 20, report.MaxConnections)
	require.GreaterOrEqual(t, report.Connections, 2)
	require.True(t, report.Local)
	require.False(t, report.Encrypted)
	require.False(t, report.ReadOnly)
	require.Less(t, report.ClockOffset.Abs(), 10*time.Second, "it is this machine's clock")
	require.Positive(t, report.RoundTrip)

	require.Equal(t, []bool{false, false}, rights(inspect("app")), "it may not even see the tables")
	s.Exec(t, "GRANT USAGE ON SCHEMA payctl TO app; GRANT SELECT ON ALL TABLES IN SCHEMA payctl TO app")
	require.Equal(t, []bool{false, false}, rights(inspect("app")))
	s.Exec(t, "GRANT ALL ON ALL TABLES IN SCHEMA payctl TO app")
	require.Equal(t, []bool{false, true}, rights(inspect("app")))
	openConfig(t, postgres.Config{URL: s.URLFor("app", "secret")})

	s.SetReadOnly(t, true)
	require.True(t, inspect("owner").ReadOnly)
}
