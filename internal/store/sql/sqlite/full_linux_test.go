package sqlite_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/sql/sqlite"
)

// inChild says that the test runs in a process of its own, and what it is to run out of.
const inChild = "PAYCTL_TEST_FULL"

// child runs this test again in a process of its own.
func child(t *testing.T, what string, attributes *syscall.SysProcAttr) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inChild+"="+what)
	cmd.SysProcAttr = attributes
	output, err := cmd.CombinedOutput()
	if what == "disk" && err != nil && cmd.ProcessState == nil {
		t.Skipf("no namespaces here: %v", err)
	}
	require.NoError(t, err, "%s", output)
	t.Logf("%s", output)
}

// ownMounts are the attributes of a process that may mount what it likes, where the system allows such.
func ownMounts() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
}

// A disk that is full, in a namespace of its own, which needs no privileges where the system allows such.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if os.Getenv(inChild) != "disk" {
		child(t, "disk", ownMounts())
		return
	}
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("no disk of its own: %v", err)
	}
	defer func() { require.NoError(t, syscall.Unmount(disk, syscall.MNT_DETACH)) }()
	ballast := filepath.Join(disk, "ballast")
	require.NoError(t, os.WriteFile(ballast, make([]byte, 4<<20), 0o600))
	recoverFromFull(t, filepath.Join(disk, "data"), func() { require.NoError(t, os.Remove(ballast)) })
}

// A read-only disk is an error of Open, rather than of every request.
func TestReadOnlyDisk(t *testing.T) {
	t.Parallel()
	if os.Getenv(inChild) != "disk" {
		child(t, "disk", ownMounts())
		return
	}
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("no disk of its own: %v", err)
	}
	defer func() { require.NoError(t, syscall.Unmount(disk, syscall.MNT_DETACH)) }()
	killed := t.TempDir()
	kept, err := sqlite.Open(t.Context(), killed)
	require.NoError(t, err)
	copyTo(t, filepath.Join(disk, "data"), killed) // as one that was killed leaves it
	require.NoError(t, kept.Close())
	require.NoError(t, syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "size=8m"))
	_, err = sqlite.Open(t.Context(), filepath.Join(disk, "data"))
	require.ErrorContains(t, err, "cannot be written")
}

// A file that may not grow, which is another error than a full disk.
func TestFullFile(t *testing.T) {
	t.Parallel()
	if os.Getenv(inChild) != "file" {
		child(t, "file", nil)
		return
	}
	var before unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_FSIZE, &before))
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 512 << 10, Max: before.Max}))
	recoverFromFull(t, filepath.Join(t.TempDir(), "data"), func() {
		require.NoError(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &before))
	})
}

// If the database may not grow while its log may, a failing checkpoint is reported once, and its recovery once.
func TestFailingCheckpointIsReported(t *testing.T) {
	t.Parallel()
	if os.Getenv(inChild) != "file" {
		child(t, "file", nil)
		return
	}
	s := openIn(t, filepath.Join(t.TempDir(), "data"))
	s.CheckpointAfter(1)
	var mu sync.Mutex
	var all []error
	s.ReportCheckpoints(func(err error) { // on the writer's goroutine
		mu.Lock()
		defer mu.Unlock()
		all = append(all, err)
	})
	reported := func() []error {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
	written := 0
	writeUntilReported := func(times int) {
		for ; len(reported()) < times; written++ {
			require.Less(t, written, 100_000)
			require.NoError(t, s.Update(t.Context(), world, func(tx store.Tx) error {
				return tx.Keys().Put(&store.Key{ID: fmt.Sprint(written), Fingerprint: payments.Fingerprint(strings.Repeat("x", 8000))})
			}))
		}
	}
	var before unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_FSIZE, &before))
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 4 << 20, Max: before.Max}))
	writeUntilReported(1)
	require.Error(t, reported()[0])
	for range 5 {
		require.NoError(t, s.Update(t.Context(), world, put("more")))
	}
	require.Len(t, reported(), 1, "not with every commit")
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &before))
	writeUntilReported(2)
	require.NoError(t, reported()[1])
	require.NoError(t, s.Close())
}

// A commit whose fsync failed is not there when the program is killed and another opens the file, although the log had
// it as a whole.
func TestUnconfirmedCommit(t *testing.T) {
	t.Parallel()
	what, folder, inside := strings.Cut(os.Getenv(inChild), " ")
	if !inside {
		folder = t.TempDir()
		child(t, "write "+folder, nil)
		child(t, "look "+folder, nil) // in a process that has never had it open
		return
	}
	s := openIn(t, folder)
	if what == "look" {
		require.True(t, has(t, s, "before"))
		require.False(t, has(t, s, "refused"))
		require.NoError(t, s.Close())
		return
	}
	require.NoError(t, s.Update(t.Context(), world, put("before")))
	if err := confirmNothing(); err != nil {
		t.Skipf("no system call can be made to fail here: %v", err)
	}
	requireUnavailable(t, s.Update(t.Context(), world, put("refused")))
	os.Exit(0) // as if killed: nothing is closed
}

// confirmNothing lets fsync and fdatasync fail with EIO in this process from now on (seccomp(2)).
func confirmNothing() error {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}, // the number of the system call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_FSYNC, Jt: 2},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_FDATASYNC, Jt: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EIO)},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, failed := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(&program)
	if failed != 0 {
		return failed
	}
	return nil
}
