package memory_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
)

// inChild is set in the process that may mount its own disk.
const inChild = "PAYCTL_TEST_FULL"

// A full disk refuses updates and shows nothing of them. Acknowledged updates can be read, then and after a restart.
// With space again, the store continues.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if os.Getenv(inChild) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$")
		cmd.Env = append(os.Environ(), inChild+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{ // needs no privileges where the system allows user namespaces
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		output, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Skipf("cannot create namespaces: %v", err)
		}
		require.NoError(t, err, "%s", output)
		return
	}
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("cannot mount a disk: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(disk, syscall.MNT_DETACH)) })
	ballast := filepath.Join(disk, "ballast")
	require.NoError(t, os.WriteFile(ballast, make([]byte, 1<<20), 0o600))
	folder := filepath.Join(disk, "data")
	s := open(t, folder)
	putLarge := func(id string) error {
		return s.Update(context.Background(), world, func(tx store.Tx) error {
			return tx.Keys().Put(&store.Key{ID: id, Fingerprint: strings.Repeat("x", 20_000)})
		})
	}
	var written []string
	for number, refused := 0, 0; refused < 3; number++ { // a new log frees some space once
		id := fmt.Sprintf("key-%04d", number)
		if err := putLarge(id); err != nil {
			require.ErrorIs(t, err, store.ErrUnavailable)
			refused++
			continue
		}
		written = append(written, id)
		refused = 0
	}
	require.NotEmpty(t, written)
	require.Equal(t, written, keys(t, s), "a full disk can be read")
	require.NoError(t, os.Remove(ballast))
	require.NoError(t, put(s, "later"))
	require.NoError(t, s.Close())
	require.Equal(t, append(written, "later"), keys(t, open(t, folder)))
}
