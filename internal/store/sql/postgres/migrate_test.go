package postgres_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store/sql/postgres"
	"github.com/payctl/payctl/internal/test/pgtest"
)

// However many processes start at once, the migrations are applied once.
func TestMigrationsAreAppliedOnce(t *testing.T) {
	t.Parallel()
	for range 3 {
		databaseURL, schema := pgtest.New(t)
		var all sync.WaitGroup
		uuids := make([][]string, 8)
		for i := range uuids {
			all.Go(func() {
				db, err := postgres.Open(t.Context(), postgres.Config{URL: databaseURL, Schema: schema, Connections: 1})
				if err != nil {
					t.Error(err)
					return
				}
				uuids[i] = read(t, db, "SELECT uuid FROM identity")
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		require.Len(t, uuids[0], 1)
		require.Len(t, uuids[0][0], 36)
		for _, other := range uuids {
			require.Equal(t, uuids[0], other)
		}
	}
}

func TestSchemasOfOtherVersions(t *testing.T) {
	t.Parallel()
	databaseURL, schema := pgtest.New(t)
	config := postgres.Config{URL: databaseURL, Schema: schema, NoMigrate: true}
	_, err := postgres.Open(t.Context(), config)
	require.ErrorIs(t, err, postgres.ErrOlderSchema, "it does not exist")

	config.NoMigrate = false
	db := openConfig(t, config)
	config.NoMigrate = true
	openConfig(t, config)

	require.NoError(t, db.Query(t.Context(), "UPDATE identity SET migrations = migrations - 1", nil, nil))
	_, err = postgres.Open(t.Context(), config)
	require.ErrorIs(t, err, postgres.ErrOlderSchema)

	require.NoError(t, db.Query(t.Context(), "UPDATE identity SET migrations = migrations + 2", nil, nil))
	for _, never := range []bool{true, false} {
		config.NoMigrate = never
		_, err = postgres.Open(t.Context(), config)
		require.ErrorIs(t, err, postgres.ErrNewerSchema)
	}
	require.Equal(t, []string{"0"}, read(t, db, "SELECT count(*) FROM heads"), "a process that runs already goes on")
}

// A user who may not create schemas can use one that an administrator has made.
func TestUserWithoutRightsOnTheDatabase(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	s.Exec(t, "CREATE ROLE app LOGIN PASSWORD 'secret'; CREATE SCHEMA made AUTHORIZATION app; CREATE ROLE reader LOGIN PASSWORD 'secret'")
	openConfig(t, postgres.Config{URL: s.URLFor("app", "secret"), Schema: "made"})
	_, err := postgres.Open(t.Context(), postgres.Config{URL: s.URLFor("app", "secret"), Schema: "missing"})
	require.ErrorContains(t, err, "permission denied")
	require.NotContains(t, err.Error(), "secret")
	_, err = postgres.Open(t.Context(), postgres.Config{URL: s.URLFor("reader", "secret"), Schema: "made"})
	require.ErrorContains(t, err, "permission denied")
}

// A connection that is made later and leads to another database is refused, so that no world is in two of them.
func TestAnotherDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	databaseURL, schema := pgtest.New(t)
	db := openConfig(t, postgres.Config{URL: databaseURL, Schema: schema, Connections: 1})
	other := openConfig(t, postgres.Config{URL: databaseURL, Schema: schema})
	require.NoError(t, other.Query(t.Context(), "UPDATE identity SET uuid = gen_random_uuid()::text", nil, nil))
	require.NoError(t, put(t.Context(), db, "1", "one"), "the connection exists")
	pid := read(t, db, "SELECT pg_backend_pid()")[0]
	require.NoError(t, other.Query(t.Context(), "SELECT pg_terminate_backend("+pid+", 60000)", nil, nil))
	require.ErrorIs(t, db.Query(t.Context(), "SELECT 1", nil, nil), postgres.ErrOtherDatabase)
	require.ErrorIs(t, put(t.Context(), db, "1", "two"), postgres.ErrOtherDatabase)
	require.NoError(t, other.Query(t.Context(), "DROP TABLE identity", nil, nil))
	require.ErrorIs(t, put(t.Context(), db, "1", "two"), postgres.ErrOtherDatabase)
}
