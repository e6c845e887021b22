package watchui

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

// leavingVariable makes the test program act as the program of --exec, or as the process that it leaves behind.
const leavingVariable = "WATCHUI_TEST_LEAVING"

// longestRun is how long a program of these tests runs if nothing ends it.
const longestRun = 2 * time.Minute

// TestExecThatLeavesAProcess is the program that the tests below run. It starts another one, then ends or hangs.
func TestExecThatLeavesAProcess(t *testing.T) {
	role, file := os.Getenv(leavingVariable), os.Getenv(leavingVariable+"_PID")
	switch role {
	case "":
		t.Skip("runs as a child process")
	case "left":
		<-time.After(longestRun)
	}
	left := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	left.Env = append(os.Environ(), leavingVariable+"=left")
	require.NoError(t, left.Start())
	require.NoError(t, os.WriteFile(file+".new", []byte(strconv.Itoa(left.Process.Pid)), 0o600))
	require.NoError(t, os.Rename(file+".new", file))
	if role == "ends" {
		os.Exit(0)
	}
	<-time.After(longestRun)
}

// leaving runs the program above for one change, and returns the process that it left behind.
func leaving(t *testing.T, role string) (*executor, windows.Handle) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pid")
	t.Setenv(leavingVariable, role)
	t.Setenv(leavingVariable+"_PID", file)
	var notices buffer
	h, err := newExecutor(t.Context(), os.Args[0], []string{"-test.run=^TestExecThatLeavesAProcess$"}, nil, notices.note)
	require.NoError(t, err)
	h.grace = time.Millisecond
	h.enqueue(cmdutil.ChangeLine{SubjectID: "s"})
	var text []byte
	require.Eventually(t, func() bool { // just after the rename, the file cannot be read
		text, err = os.ReadFile(file)
		return err == nil
	}, longestRun/2, 10*time.Millisecond)
	pid, err := strconv.ParseUint(string(text), 10, 32)
	require.NoError(t, err)
	process, err := windows.OpenProcess(windows.SYNCHRONIZE|windows.PROCESS_TERMINATE, false, uint32(pid))
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = windows.TerminateProcess(process, 1) // if the test has failed
		require.NoError(t, windows.CloseHandle(process))
	})
	return h, process
}

// A program that never ends is killed, with all that it started, when the watch has ended and the grace is over.
func TestExecThatHangs(t *testing.T) {
	h, process := leaving(t, "hangs")
	h.cancel()
	require.ErrorContains(t, h.wait(), "1 of 1 run of")
	ended, err := windows.WaitForSingleObject(process, uint32((longestRun / 4).Milliseconds()))
	require.NoError(t, err)
	require.Equal(t, uint32(windows.WAIT_OBJECT_0), ended)
}

// A process that a successful run leaves in the background keeps running.
func TestExecThatEnds(t *testing.T) {
	h, process := leaving(t, "ends")
	require.NoError(t, h.wait())
	ended, err := windows.WaitForSingleObject(process, 0)
	require.NoError(t, err)
	require.Equal(t, uint32(windows.WAIT_TIMEOUT), ended)
}

// A batch file that expands a variable runs commands that a hostile service put into it. Such a change does not run it.
func TestBatchFileOfAHostileChange(t *testing.T) {
	dir := t.TempDir()
	hook := filepath.Join(dir, "hook.cmd")
	require.NoError(t, os.WriteFile(hook, []byte("@echo \"%PAYCTL_EVENT_SUBJECT_ID%\"> \"%~dp0ran\"\r\n"), 0o600))
	for _, program := range [][]string{{hook}, {"cmd", "/c", hook}} {
		var notices buffer
		h, err := newExecutor(t.Context(), program[0], program[1:], nil, notices.note)
		require.NoError(t, err)
		h.enqueue(cmdutil.ChangeLine{SubjectID: `a"&echo>"` + filepath.Join(dir, "hostile") + `"&rem "`})
		require.Error(t, h.wait())
		require.Contains(t, notices.b.String(), "could run a part of")
		require.NoFileExists(t, filepath.Join(dir, "hostile"))
		require.NoFileExists(t, filepath.Join(dir, "ran"))
		h, err = newExecutor(t.Context(), program[0], program[1:], nil, t.Errorf)
		require.NoError(t, err)
		h.enqueue(cmdutil.ChangeLine{SubjectID: "acc_1"})
		require.NoError(t, h.wait())
		require.NoError(t, os.Remove(filepath.Join(dir, "ran")))
	}
}
