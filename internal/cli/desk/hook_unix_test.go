//go:build !windows

package desk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/payctl/payctl/internal/cli/deps"
)

// shell runs a script of sh as the program of --exec.
func shell(t *testing.T, told *buffer, script string) *hooks {
	t.Helper()
	h, err := newHooks(t.Context(), "/bin/sh", []string{"-c", script}, nil, func(format string, args ...any) { fmt.Fprintf(told, format+"\n", args...) })
	require.NoError(t, err)
	return h
}

// A program that never ends, and all that it started, is ended when the watch has been and its time is over.
func TestHookThatHangs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var told buffer
	h := shell(t, &told, "trap '' TERM; sleep 1000 & echo $! >"+dir+"/new; mv "+dir+"/new "+dir+"/pid; wait; sleep 1000")
	h.grace = time.Millisecond
	h.begin(deps.Change{SubjectID: "s"})
	for range hooksQueued { // of which one more than there is room for waits when the watch ends
		h.begin(deps.Change{SubjectID: "s"})
	}
	path := filepath.Join(dir, "pid")
	require.Eventually(t, func() bool { _, err := os.Stat(path); return err == nil }, time.Minute, time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan struct{})
	go func() {
		defer close(waiting)
		h.begin(deps.Change{SubjectID: "s"})
		h.begin(deps.Change{SubjectID: "s"})
		cancel()
	}()
	h.halt()
	<-waiting
	err := h.finish(ctx, nil)
	failed, ok := errors.AsType[*HookError](err)
	require.True(t, ok)
	require.Equal(t, 1, failed.Failed)
	require.Contains(t, told.b.String(), "for 1 run of /bin/sh to end")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return !alive(pid) }, time.Minute, time.Millisecond)
}

// alive says whether a process runs: one that has ended and that nobody waited for does not.
func alive(pid int) bool {
	if unix.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// What a program leaves running is none of its failures, nor what it writes or does not read.
func TestHookThatIsOdd(t *testing.T) {
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
		var told buffer
		h := shell(t, &told, script)
		h.begin(deps.Change{SubjectID: "s", Type: strings.Repeat("long", 1<<14)})
		err := h.finish(t.Context(), nil)
		if failure == "" {
			require.NoError(t, err, script)
			require.Empty(t, told.b.String(), script)
			continue
		}
		require.Error(t, err, script)
		require.Contains(t, told.b.String(), failure, script)
	}
}
