//go:build !windows

package watchui

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

// shellPath returns an executor that runs an sh script as the program of --exec.
func shellPath(t *testing.T, notices *buffer, script string) *executor {
	t.Helper()
	h, err := newExecutor(t.Context(), "/bin/sh", []string{"-c", script}, nil, notices.note)
	require.NoError(t, err)
	return h
}

// A program that never ends is killed, with all that it started, when the watch has ended and the grace is over.
func TestExecThatHangs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var notices buffer
	const hangs = "trap '' TERM; sleep 1000 & cd %s; echo $! >new; mv new pid; wait; sleep 1000"
	h := shellPath(t, &notices, fmt.Sprintf(hangs, dir))
	h.grace = time.Millisecond
	h.enqueue(cmdutil.ChangeLine{SubjectID: "s"})
	for range queueSize { // fills the queue behind the running program
		h.enqueue(cmdutil.ChangeLine{SubjectID: "s"})
	}
	path := filepath.Join(dir, "pid")
	require.Eventually(t, func() bool { _, err := os.Stat(path); return err == nil }, time.Minute, time.Millisecond)
	h.cancel()
	h.enqueue(cmdutil.ChangeLine{SubjectID: "s"}) // does not wait, even if the queue is full
	err := h.wait()
	require.ErrorContains(t, err, "1 of 1 run of")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return !alive(pid) }, time.Minute, time.Millisecond)
}

// alive reports whether a process runs. A zombie does not.
func alive(pid int) bool {
	if unix.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// Leaving a process running, writing a lot and reading nothing are not failures.
func TestExecThatIsOdd(t *testing.T) {
	t.Parallel()
	for script, failure := range map[string]string{
		"sleep 3 & true":                     "",
		"exec <&-; true":                     "",
		"head -c 3000000 /dev/zero":          "",
		"kill -9 $$":                         "signal: killed",
		"echo first; echo why >&2; exit 9":   "exit status 9: first\nwhy",
		"test -z \"$PAYCTL_EVENT_FROM\"":     "",
		"read -r line; test \"$line\" = '1'": "exit status 1",
	} {
		var notices buffer
		h := shellPath(t, &notices, script)
		h.enqueue(cmdutil.ChangeLine{SubjectID: "s", Type: strings.Repeat("long", 1<<14)})
		err := h.wait()
		if failure == "" {
			require.NoError(t, err, script)
			require.Empty(t, notices.b.String(), script)
			continue
		}
		require.Error(t, err, script)
		require.Contains(t, notices.b.String(), failure, script)
	}
}
