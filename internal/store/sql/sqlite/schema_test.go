package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/sqlitedb"
	"github.com/payctl/payctl/internal/store/sql/sqlite"
)

// A database that another user has prepared is refused if it has triggers, views or anything else of its own.
func TestSchemasThatDoMore(t *testing.T) {
	t.Parallel()
	for name, statements := range map[string]string{
		"a trigger":       "CREATE TRIGGER t BEFORE INSERT ON accounts BEGIN SELECT RAISE(IGNORE); END",
		"a view":          "ALTER TABLE transfers RENAME TO hidden; CREATE VIEW transfers AS SELECT * FROM hidden",
		"a table":         "CREATE TABLE other (a)",
		"an earlier view": "CREATE VIEW v AS SELECT 1; PRAGMA user_version = 5",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			require.NoError(t, openIn(t, folder).Close())
			db, err := sql.Open("sqlite", filepath.Join(folder, "payctl.db"))
			require.NoError(t, err)
			_, err = db.ExecContext(t.Context(), statements)
			require.NoError(t, err)
			require.NoError(t, db.Close())
			_, err = sqlite.Open(t.Context(), folder)
			require.ErrorIs(t, err, sqlitedb.ErrSchema)
		})
	}
}

// A new migration changes the sum of the newest schema.
func TestNewestSchema(t *testing.T) {
	t.Parallel()
	sum, err := sqlite.Upgrade.NewestSchema(t.Context())
	require.NoError(t, err)
	require.Equal(t, sum, sqlite.Upgrade.Newest)
}
