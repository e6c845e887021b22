package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/sql/sqlite"
)

// A world that is served from a backup, or of which data was lost, is another instance: its clients may know of writes
// that it does not have. A folder that only was closed, or copied whole, goes on as it was.
func TestDataThatIsOlderIsAnotherInstance(t *testing.T) {
	t.Parallel()
	instance := func(s *sqlite.Store) (found string) {
		require.NoError(t, s.View(t.Context(), world, func(tx store.Tx) error {
			record, err := tx.Worlds().Get(store.WorldID)
			found = record.Instance
			return err
		}))
		require.NoError(t, s.Close())
		return found
	}
	folder := t.TempDir()
	s := openIn(t, folder)
	require.NoError(t, s.Update(t.Context(), world, func(tx store.Tx) error {
		return tx.Worlds().Put(&store.World{Instance: "wld_1", Number: 7})
	}))
	require.Equal(t, "wld_1", instance(s))
	require.Equal(t, "wld_1", instance(openIn(t, folder)))

	restored := t.TempDir()
	_, err := sqlite.Backup(t.Context(), folder, filepath.Join(restored, "payctl.db"))
	require.NoError(t, err)
	require.Equal(t, "wld_1", instance(openIn(t, folder)), "a backup changes nothing of what it copies")
	renewed := instance(openIn(t, restored))
	require.NotEqual(t, "wld_1", renewed)
	require.Equal(t, renewed, instance(openIn(t, restored)))

	older := filepath.Join(t.TempDir(), "payctl.db")
	_, err = sqlite.Backup(t.Context(), restored, older)
	require.NoError(t, err)
	s = openIn(t, restored)
	require.NoError(t, s.Update(t.Context(), world, put("later")))
	require.NoError(t, s.Close())
	require.NoError(t, os.Rename(older, filepath.Join(restored, "payctl.db")))
	s, loss, err := sqlite.OpenAcceptingLoss(t.Context(), restored)
	require.NoError(t, err)
	require.NotNil(t, loss)
	lossy := instance(s)
	require.NotEqual(t, renewed, lossy)
	require.Equal(t, lossy, instance(openIn(t, restored)))
}
