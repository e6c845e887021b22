//go:build !windows

package desk

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup gives a run a process group of its own, so that Ctrl-C at the terminal does not end it in the middle, and it can be
// ended with all that it started. The function ends what is left of the group.
func ownGroup(cmd *exec.Cmd) (end func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGTERM) }
	return func() {
		if cmd.Process != nil {
			_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) // it fails when nothing is left
		}
	}
}
