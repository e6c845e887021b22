package journal_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox/journal"
)

// earlierVersion makes a journal, or one that is there, one of the first or second version.
func earlierVersion(t *testing.T, path string, version int) {
	t.Helper()
	create(t, path)
	exec(t, path, "DROP INDEX external_ids; DROP TABLE clients; DROP INDEX given_keys; ALTER TABLE writes DROP COLUMN given_key; PRAGMA user_version = 2")
	if version == 1 {
		exec(t, path, "CREATE INDEX batches ON writes (batch_id) WHERE batch_id <> ''; PRAGMA user_version = 1")
	}
}

// exec runs statements in a journal that is closed.
func exec(t *testing.T, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), statements)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

// A journal of an earlier version is brought up to date with all that is in it. A write with a key of the user's own is
// found by its reference afterwards.
func TestAJournalOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	for _, version := range []int{1, 2} {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "journal.db")
			j := open(t, path)
			made := intent("made")
			made.Key = journal.ReferenceKey(made.Operation, made.Reference)
			looksMade := intent("payctl-" + strings.Repeat("x", 32))
			for _, i := range []journal.Intent{intent("k"), made, looksMade} {
				_, mine := claim(t, j, i, false)
				require.True(t, mine)
				end(t, j, i, journal.Result{Outcome: journal.OutcomeDone, Subject: "trf_" + i.Key})
			}
			require.NoError(t, j.Close())
			earlierVersion(t, path, version)

			j = open(t, path)
			require.Equal(t, "trf_k", lookup(t, j, "k").Subject)
			for _, i := range []journal.Intent{intent("k"), made, looksMade} {
				_, mine := claim(t, j, i, true)
				require.False(t, mine)
				for _, key := range []string{"another", journal.ReferenceKey(i.Operation, i.Reference)} {
					other := i
					other.Key = key
					entry, mine := claim(t, j, other, true)
					require.False(t, mine, "%s for %s", key, i.Key)
					require.Equal(t, "trf_"+i.Key, entry.Subject)
				}
			}
			state, err := journal.Inspect(t.Context(), path)
			require.NoError(t, err)
			require.Equal(t, 4, state.Version)
		})
	}
}
