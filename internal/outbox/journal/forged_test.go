package journal_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox/journal"
)

// A journal that another user has prepared is refused if its schema differs. A trigger would change what is recorded. A
// view could show writes that were never made, or never end.
func TestSchemasThatDoMore(t *testing.T) {
	t.Parallel()
	for name, statements := range map[string]string{
		"a trigger that drops what is recorded": "CREATE TRIGGER t BEFORE INSERT ON writes BEGIN SELECT RAISE(IGNORE); END",
		"a trigger that changes it":             "CREATE TRIGGER t AFTER UPDATE ON writes BEGIN UPDATE writes SET outcome = 'absent'; END",
		"a view in place of the table": "ALTER TABLE writes RENAME TO hidden; CREATE VIEW writes AS " +
			"WITH RECURSIVE endless AS (SELECT * FROM hidden UNION ALL SELECT * FROM endless) SELECT * FROM endless",
		"another table":             "CREATE TABLE other (a)",
		"an index of an expression": "CREATE INDEX i ON writes (abs(attempts))",
		"a column more":             "ALTER TABLE writes ADD COLUMN more AS (printf('%.*c', 1000, 'x'))",
		"a column less":             "DROP INDEX given_keys; ALTER TABLE writes DROP COLUMN given_key",
		"a table that checks": "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET " +
			"sql = replace(sql, 'owner           TEXT NOT NULL', 'owner TEXT NOT NULL CHECK (owner <> 1)') WHERE name = 'writes'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "journal.db")
			create(t, path)
			exec(t, path, statements)
			require.ErrorIs(t, openError(t, path), journal.ErrCorrupt)
			_, _, err := journal.Count(t.Context(), path)
			require.ErrorIs(t, err, journal.ErrCorrupt)
		})
	}
}

// exec runs statements in a closed database.
func exec(t *testing.T, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), statements)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

// Entries that no version of payctl writes are an error. They are neither believed nor left out.
func TestForgedEntries(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"an unknown outcome":  "outcome = 'paid'",
		"no outcome":          "outcome = ''",
		"endless attempts":    "attempts = 1e300",
		"a time that is none": "changed = 'yesterday'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "journal.db")
			j := open(t, path)
			_, mine := claim(t, j, intent("k"), false)
			require.True(t, mine)
			require.NoError(t, j.Close())
			exec(t, path, "UPDATE writes SET "+change)

			j = open(t, path)
			_, err := j.Lookup(t.Context(), intent("k"))
			require.True(t, journal.IsFailure(err), "%v", err)
			_, err = j.Claim(t.Context(), []journal.PendingWrite{intent("k")}, journal.Again)
			require.True(t, journal.IsFailure(err), "%v", err)
			err = j.Each(t.Context(), journal.Filter{}, func(journal.Entry) error { return nil })
			require.True(t, journal.IsFailure(err), "%v", err)
		})
	}
}
