//go:build !windows

package watchui

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// startRun starts a run in a process group of its own: Ctrl-C at the terminal does not interrupt it, and it can be
// ended with all processes that it started. end is called after the run; it kills what is left of the group if that is
// wanted.
func startRun(cmd *exec.Cmd) (end func(kill bool), err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGTERM) }
	return func(kill bool) {
		if kill {
			_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) // it fails if nothing is left
		}
	}, cmd.Start()
}
