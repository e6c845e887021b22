package refserver_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/pgtest"
)

// While the disk of the tables is full, the servers answer with status 503. They go on when there is space again.
func TestDatabaseIsFull(t *testing.T) {
	t.Parallel()
	database := pgtest.Start(t)
	disk := filepath.Join(filepath.Dir(database.Socket()), "disk")
	require.NoError(t, os.Mkdir(disk, 0o700))
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=32m"); err != nil {
		t.Skipf("only a user who may mount file systems can make a small one: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(disk, unix.MNT_DETACH)) })
	owner, err := os.Stat(filepath.Dir(database.Socket()))
	require.NoError(t, err)
	space := filepath.Join(disk, "space")
	require.NoError(t, os.Mkdir(space, 0o700))
	for _, folder := range []string{disk, space} {
		stat := owner.Sys().(*syscall.Stat_t) //nolint:forcetypeassert // on Linux
		require.NoError(t, os.Chown(folder, int(stat.Uid), int(stat.Gid)))
	}
	database.Exec(t, "CREATE TABLESPACE small LOCATION '"+space+"'")
	database.Exec(t, "ALTER DATABASE postgres SET default_tablespace = small")
	f := startFleet(t, refserver.Database{URL: database.URL(), Connections: 3})
	f.follow()
	ctx, stop := context.WithCancel(t.Context())
	endLoad := f.load(ctx)
	f.proceed()

	filler, err := os.Create(filepath.Join(disk, "filler"))
	require.NoError(t, err)
	block := make([]byte, 1<<12)
	for err == nil {
		_, err = filler.Write(block)
	}
	require.ErrorIs(t, err, unix.ENOSPC)
	require.NoError(t, filler.Close())
	require.Eventually(t, func() bool { return f.refused.Load() > 20 }, patience, time.Millisecond)
	f.ledger.inspect(t, f.store)
	require.NoError(t, os.Remove(filler.Name()))
	f.requireReady()
	f.proceed()
	stop()
	endLoad()
	f.ledger.settle(t, f.any())
	f.ledger.inspect(t, f.store)
	f.requireEvents()
	f.stop()
}
