package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// runWithoutDisk runs a command for which fsync and fdatasync fail with EIO.
func runWithoutDisk(cmd *exec.Cmd) error {
	ended := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine, and the filter with it
		_, err := filterCalls([]uint32{unix.SYS_FSYNC, unix.SYS_FDATASYNC}, unix.SECCOMP_RET_ERRNO|uint32(unix.EIO), 0)
		if err == nil {
			err = cmd.Run()
		}
		ended <- err
	}()
	return <-ended
}

// Nothing is done that is not on the disk. No setting and no login is replaced by one that a power cut would lose. No
// write is sent before it is in the journal for good.
func TestWhatIsNotOnTheDiskIsNotDone(t *testing.T) {
	t.Parallel()
	m := newMachine(t, serve(t))
	folder := filepath.Join(m.dir, "config")
	snapshot := filepath.Join(folder, "snapshot.json")
	create := strings.Fields("accounts create --type individual --first-name A --last-name L --country GB " +
		"--email a@example.com")
	lines := [][]string{
		{"profile", "set", "local", "timeout", "7s"}, {"auth", "login"}, create,
		{"events", "tail", "--resume", "a", "--after", "beginning", "--limit", "1"}, {"sandbox", "snapshot", snapshot},
	}
	for _, line := range lines {
		m.must(line...)
	}
	places, err := filepath.Glob(filepath.Join(folder, "state", "events", "*.json"))
	require.NoError(t, err)
	require.Len(t, places, 1)
	credentials := filepath.Join(folder, "state", "credentials.json")
	kept := map[string][]byte{filepath.Join(folder, "config.yaml"): nil, credentials: nil, places[0]: nil, snapshot: nil}
	for path := range kept {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		kept[path] = text
	}
	lines[0][4], lines[3][7] = "9s", "2" // the cursor of the events moves on
	for _, line := range lines {
		cmd := m.command(line...)
		var said bytes.Buffer
		cmd.Stderr = &said
		err := runWithoutDisk(cmd)
		if err != nil && cmd.Process == nil {
			t.Skipf("system calls cannot be made to fail here: %v", err)
		}
		require.Error(t, err, line)
		require.Regexp(t, "input/output error|disk I/O error", said.String(), line)
	}
	for path, text := range kept {
		now, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(text), string(now), path)
	}
	require.Equal(t, "1", m.must("accounts", "list", "--jq", "length"), "nothing was sent that is not in the journal")
	m.must("transfer", "resolve", "--list") // the journal has no open write that was not sent
}

// A new file is on the disk before the rename, and the rename is on the disk before the program goes on.
func TestRenamesAreOnTheDisk(t *testing.T) {
	if os.Getenv(asksFirst) != "" {
		askFirst(t)
		return
	}
	if testing.CoverMode() != "" {
		t.Skip("a program whose coverage is recorded renames files of its own")
	}
	t.Parallel()
	p := newPayer(t, serve(t))
	folder := t.TempDir()
	for _, args := range [][]string{
		{"profile", "set", "local", "timeout", "7s"},
		{"auth", "login"},
		{"events", "tail", "--resume", "a", "--after", "beginning", "--limit", "1"},
		{"sandbox", "snapshot", filepath.Join(folder, "snapshot.json")},
		{"serve", "--addr", "127.0.0.1:0", "--report", filepath.Join(folder, "report.json"), "--", "true"},
	} {
		var calls strings.Builder
		p.eachCall(func(call uint32) bool {
			switch call {
			case unix.SYS_FSYNC:
				calls.WriteByte('s')
			case unix.SYS_RENAMEAT:
				calls.WriteByte('r')
			}
			return false
		}, args...)
		require.Regexp(t, "^s*(s+rs+)+$", calls.String(), args)
		require.NotContains(t, calls.String(), "rsr", args) // one sync is of the folder, the other of the next file
	}
}
