package postgres_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/sql"
	"github.com/payctl/payctl/internal/store/sql/postgres"
	"github.com/payctl/payctl/internal/test/pgtest"
)

// A restored dump has other tables than the schema that was dumped.
var asRestored = []string{
	"CREATE TABLE other (LIKE identity INCLUDING ALL)", "INSERT INTO other SELECT * FROM identity",
	"DROP TABLE identity", "ALTER TABLE other RENAME TO identity",
}

// The first process to open a restored schema makes each world another instance, also if it may not migrate. The
// processes that open it at the same time, or later, leave it as it is.
func TestRestoredSchema(t *testing.T) {
	t.Parallel()
	for name, statements := range map[string][]string{
		"dump":              asRestored,
		"told by statement": {"UPDATE identity SET place = 'restored'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databaseURL, schema := pgtest.New(t)
			config := postgres.Config{URL: databaseURL, Schema: schema, Connections: 2}
			db := openConfig(t, config)
			require.False(t, db.Restored())
			require.False(t, openConfig(t, config).Restored(), "it was only opened again")
			before := sql.New(db)
			put := func(s *sql.Store, world *store.World) {
				require.NoError(t, s.Update(t.Context(), "w", func(tx store.Tx) error { return tx.Worlds().Put(world) }))
			}
			get := func(s *sql.Store) (world *store.World) {
				require.NoError(t, s.View(t.Context(), "w", func(tx store.Tx) (err error) {
					world, err = tx.Worlds().Get(store.WorldID)
					return err
				}))
				return world
			}
			put(before, &store.World{Instance: "wld_first", Number: 7, Version: 3})
			uuid := read(t, db, "SELECT uuid FROM identity")

			for _, statement := range statements {
				require.NoError(t, db.Query(t.Context(), statement, nil, nil))
			}
			config.NoMigrate = true
			var all sync.WaitGroup
			var restored atomic.Int32
			for range 4 {
				all.Go(func() {
					after, err := postgres.Open(context.WithoutCancel(t.Context()), config)
					if err != nil {
						t.Error(err)
						return
					}
					if after.Restored() {
						restored.Add(1)
					}
					if err := after.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			require.EqualValues(t, 1, restored.Load())
			after := openConfig(t, config)
			require.False(t, after.Restored())
			require.NotEqual(t, uuid, read(t, after, "SELECT uuid FROM identity"))
			world := get(sql.New(after))
			require.Regexp(t, "^wld_[0-9a-f]{32}$", world.Instance)
			require.Equal(t, 7, world.Number)
			require.Greater(t, world.Version, 3, "a process that went on takes the record over")
			require.Equal(t, world, get(before), "the cache of a process that went on is not valid")
		})
	}
}

// Users of one schema need not have the same rights: it is the same place for all of them.
func TestSchemaOfSeveralUsers(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	server.Exec(t, "CREATE ROLE other LOGIN PASSWORD 'secret'")
	server.Exec(t, "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC")
	one := postgres.Config{URL: server.URL(), Schema: "shared", Connections: 1}
	other := one
	other.URL = server.URLFor("other", "secret")
	require.False(t, openConfig(t, one).Restored())
	server.Exec(t, "GRANT USAGE ON SCHEMA shared TO other")
	server.Exec(t, "GRANT ALL ON ALL TABLES IN SCHEMA shared TO other")
	require.False(t, openConfig(t, other).Restored())
	require.False(t, openConfig(t, one).Restored())
}
