package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

// roleVariable tells this test binary which part of a tree of processes it is. treeVariable names a folder to which
// each part writes its process id.
const (
	roleVariable = "E2E_TREE_ROLE"
	treeVariable = "E2E_TREE"
)

// TestTreeOfProcesses is the command that payctl starts in the tests below, and the program that the command starts.
// The command exits with code 7, or waits.
func TestTreeOfProcesses(t *testing.T) {
	role, dir := os.Getenv(roleVariable), os.Getenv(treeVariable)
	if role == "" {
		t.Skip("runs as a child process")
	}
	if role != "left" {
		left := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		left.Env = append(os.Environ(), roleVariable+"=left")
		require.NoError(t, left.Start())
		waitForFile(t, filepath.Join(dir, "left"))
	}
	path := filepath.Join(dir, role)
	require.NoError(t, os.WriteFile(path+".new", []byte(strconv.Itoa(os.Getpid())), 0o600))
	require.NoError(t, os.Rename(path+".new", path))
	if role == "ends" {
		waitForFile(t, filepath.Join(dir, "go"))
		os.Exit(7)
	}
	<-time.After(longestTree)
}

// longestTree is how long a tree of processes lives if nothing ends it.
const longestTree = 2 * time.Minute

func waitForFile(t *testing.T, path string) {
	t.Helper()
	exists := func() bool { _, err := os.Stat(path); return err == nil }
	require.Eventually(t, exists, longestTree/2, 10*time.Millisecond, path)
}

// A tree is a run of payctl with the processes that it started.
type tree struct {
	t         *testing.T
	dir, temp string
	cmd       *exec.Cmd
	stderr    bytes.Buffer
	processes []windows.Handle // the command and the program that it started
}

// startTree starts `payctl serve FLAGS -- COMMAND` and waits until all processes run. The command has the given role.
func startTree(t *testing.T, role string, flags ...string) *tree {
	t.Helper()
	tr := &tree{t: t, dir: t.TempDir(), temp: t.TempDir()}
	args := append(append([]string{"serve"}, flags...), "--", os.Args[0], "-test.run=^TestTreeOfProcesses$")
	tr.cmd = exec.CommandContext(t.Context(), "payctl", args...)
	tr.cmd.Env = append(os.Environ(), roleVariable+"="+role, treeVariable+"="+tr.dir, "TMP="+tr.temp, "TEMP="+tr.temp)
	tr.cmd.Stderr = &tr.stderr
	require.NoError(t, tr.cmd.Start())
	for _, name := range []string{role, "left"} {
		pid := uint32(tr.pid(name))
		process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, pid)
		require.NoError(t, err, "the program %s runs", name)
		t.Cleanup(func() { require.NoError(t, windows.CloseHandle(process)) })
		tr.processes = append(tr.processes, process)
	}
	return tr
}

// pid waits for a program of the tree, and returns its process id.
func (tr *tree) pid(name string) int {
	tr.t.Helper()
	path := filepath.Join(tr.dir, name)
	waitForFile(tr.t, path)
	text, err := os.ReadFile(path)
	require.NoError(tr.t, err)
	pid, err := strconv.Atoi(string(text))
	require.NoError(tr.t, err)
	return pid
}

// wait waits for the end of payctl and returns its exit code. It requires that nothing that payctl started still runs.
func (tr *tree) wait() int {
	tr.t.Helper()
	err := tr.cmd.Wait()
	_, failed := errors.AsType[*exec.ExitError](err)
	require.True(tr.t, err == nil || failed, "%v", err)
	for _, process := range tr.processes {
		// If payctl is killed, Windows ends the job shortly after, when its last handle is closed.
		ended, err := windows.WaitForSingleObject(process, uint32((longestTree / 4).Milliseconds()))
		require.NoError(tr.t, err)
		require.Equal(tr.t, uint32(windows.WAIT_OBJECT_0), ended, "a process stays behind: %s", tr.stderr.String())
	}
	return tr.cmd.ProcessState.ExitCode()
}

// requireNoFolder requires that the folder with the settings of the command is gone.
func (tr *tree) requireNoFolder() {
	tr.t.Helper()
	folders, err := filepath.Glob(filepath.Join(tr.temp, "payctl-serve-*"))
	require.NoError(tr.t, err)
	require.Empty(tr.t, folders)
}

// TestNothingOutlivesServe ends the command or payctl in every way. No process that the command has started stays
// behind.
func TestNothingOutlivesServe(t *testing.T) {
	t.Parallel()
	t.Run("the command ends", func(t *testing.T) {
		t.Parallel()
		tr := startTree(t, "ends")
		require.NoError(t, os.WriteFile(filepath.Join(tr.dir, "go"), nil, 0o600))
		require.Equal(t, 7, tr.wait())
		tr.requireNoFolder()
	})
	t.Run("Ctrl-C again and again", func(t *testing.T) {
		t.Parallel()
		ready := filepath.Join(t.TempDir(), "ready.json")
		tr := startTree(t, "waits", "--ready-file", ready)
		waitForFile(t, ready)
		ended := make(chan int, 1)
		go func() { ended <- tr.wait() }()
		for {
			err := interrupt(tr.cmd.Process)
			require.True(t, err == nil || errors.Is(err, os.ErrProcessDone), "%v", err)
			select {
			case code := <-ended:
				require.Equal(t, 137, code, "the command was killed: these events are sent only to payctl")
				require.NoFileExists(t, ready)
				tr.requireNoFolder()
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	})
	t.Run("the window is closed", func(t *testing.T) {
		t.Parallel()
		report := filepath.Join(t.TempDir(), "report.json")
		tr := startTree(t, "waits", "--report", report)
		command, err := os.FindProcess(tr.pid("waits"))
		require.NoError(t, err)
		require.NoError(t, terminate(tr.cmd.Process))
		require.NoError(t, terminate(command)) // Windows sends it to all programs at a console
		code := tr.wait()
		require.NotEqual(t, 1, code, "%s", tr.stderr.String())
		require.FileExists(t, report)
		tr.requireNoFolder()
	})
	t.Run("payctl is killed", func(t *testing.T) {
		t.Parallel()
		tr := startTree(t, "waits")
		require.NoError(t, tr.cmd.Process.Kill())
		require.Equal(t, 1, tr.wait())
	})
}

// TestAProgramInTheCurrentFolder runs a program in the current folder, which must be named as such, like .\payctl.
func TestAProgramInTheCurrentFolder(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "current")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // a program that has just ended may still block it
	program, err := exec.LookPath("payctl")
	require.NoError(t, err)
	require.NoError(t, os.Link(program, filepath.Join(dir, "payctl.exe")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tool.exe"), nil, 0o700))
	for argument, code := range map[string]int{"tool.exe": 2, "tool": 2, `.\payctl.exe`: 0, `.\payctl`: 0} {
		cmd := exec.CommandContext(t.Context(), program, "serve", "--", argument, "version")
		cmd.Dir, cmd.Env = dir, os.Environ()
		out, _ := cmd.CombinedOutput()
		require.Equal(t, code, cmd.ProcessState.ExitCode(), "%s: %s", argument, out)
		if code != 0 {
			require.Regexp(t, `tool.*relative to current directory`, string(out))
		}
	}
}
