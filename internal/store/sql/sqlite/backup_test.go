package sqlite_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/sql/sqlite"
)

// A backup that is made while stores are written to has one state of them, from between its beginning and its end. It is
// all that a new folder needs.
func TestBackupWhileWriting(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	one, two := openIn(t, folder), openIn(t, folder)
	var written atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		for i := 0; ; i++ {
			if ctx.Err() != nil {
				ended <- nil
				return
			}
			err := []*sqlite.Store{one, two}[i%2].Update(context.Background(), world, func(tx store.Tx) error {
				if err := tx.Transfers().Put(&store.Transfer{Transfer: &payments.Transfer{ID: "tr_1"}}); err != nil {
					return err
				}
				return put(fmt.Sprint("k", i))(tx)
			})
			if err != nil {
				ended <- err
				return
			}
			written.Store(int64(i + 1))
		}
	}()
	for round := range 5 {
		for before := written.Load(); written.Load() < before+10; {
		}
		before := written.Load()
		file := filepath.Join(t.TempDir(), "backup.db")
		copied, err := sqlite.Backup(t.Context(), folder, file)
		require.NoError(t, err)
		after := written.Load() + 1
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, copied.Bytes, info.Size())
		if runtime.GOOS != "windows" { // where access lists decide who may read a file
			require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
		}
		require.Equal(t, 1, copied.Transfers)
		files, err := os.ReadDir(filepath.Dir(file))
		require.NoError(t, err)
		require.Len(t, files, 1, "nothing else is left")

		restored := filepath.Join(t.TempDir(), "restored")
		require.NoError(t, os.Mkdir(restored, 0o700))
		require.NoError(t, os.Rename(file, filepath.Join(restored, "payctl.db")))
		s := openIn(t, restored)
		keys := int64(0)
		for has(t, s, fmt.Sprint("k", keys)) {
			keys++
		}
		require.GreaterOrEqual(t, keys, before, round)
		require.LessOrEqual(t, keys, after, round)
		require.False(t, has(t, s, fmt.Sprint("k", keys+1)))
		require.NoError(t, s.Update(t.Context(), world, put("later")))
		require.NoError(t, s.Close())
		requireWritable(t, restored)
	}
	stop()
	require.NoError(t, <-ended)
	require.NoError(t, one.Close())
	require.NoError(t, two.Close())
}

func TestBackupThatIsRefused(t *testing.T) {
	t.Parallel()
	folder := killed(t, 2, 3)
	existing := filepath.Join(t.TempDir(), "existing")
	require.NoError(t, os.WriteFile(existing, []byte("mine"), 0o600))
	_, err := sqlite.Backup(t.Context(), folder, existing)
	require.ErrorIs(t, err, fs.ErrExist)
	content, err := os.ReadFile(existing)
	require.NoError(t, err)
	require.Equal(t, "mine", string(content))

	to := filepath.Join(t.TempDir(), "backup")
	empty := t.TempDir()
	for _, absent := range []string{empty, filepath.Join(empty, "absent")} {
		_, err = sqlite.Backup(t.Context(), absent, to)
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
	files, err := os.ReadDir(empty)
	require.NoError(t, err)
	require.Empty(t, files)

	require.NoError(t, os.Remove(wal(folder)))
	_, err = sqlite.Backup(t.Context(), folder, to)
	var loss *sqlite.LossError
	require.ErrorAs(t, err, &loss, "what is left of a folder is no backup of it")

	ended, end := context.WithCancel(t.Context())
	end()
	_, err = sqlite.Backup(ended, killed(t, 1, 1), to)
	require.ErrorIs(t, err, context.Canceled)
	files, err = os.ReadDir(filepath.Dir(to))
	require.NoError(t, err)
	require.Empty(t, files)
}
