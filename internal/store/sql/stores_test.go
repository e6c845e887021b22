package sql_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
	storesql "github.com/payctl/payctl/internal/store/sql"
	"github.com/payctl/payctl/internal/store/sql/postgres"
	"github.com/payctl/payctl/internal/store/sql/sqlite"
	"github.com/payctl/payctl/internal/store/storetest"
	"github.com/payctl/payctl/internal/test/pgtest"
)

// openIn opens a store in a folder.
func openIn(t testing.TB, folder string) *storesql.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), folder)
	require.NoError(t, err)
	return s.Store
}

// An opener opens the same database again and again, as several processes do.
type opener func(t testing.TB) *storesql.Store

// eachDialect runs a test with each dialect.
func eachDialect(t *testing.T, test func(t *testing.T, database func(t testing.TB) opener)) {
	t.Helper()
	for name, database := range map[string]func(t testing.TB) opener{
		"sqlite": func(t testing.TB) opener {
			folder := t.TempDir()
			return func(t testing.TB) *storesql.Store { return openIn(t, folder) }
		},
		"postgres": postgresDatabase,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, database)
		})
	}
}

// postgresDatabase is a schema of its own in a real PostgreSQL.
func postgresDatabase(t testing.TB) opener {
	url, schema := pgtest.New(t)
	return func(t testing.TB) *storesql.Store {
		db, err := postgres.Open(t.Context(), postgres.Config{URL: url, Schema: schema, Connections: 3})
		require.NoError(t, err)
		return storesql.New(db)
	}
}

func TestStore(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, database func(t testing.TB) opener) {
		storetest.Run(t, func(t testing.TB) store.Store { return database(t)(t) })
	})
}
