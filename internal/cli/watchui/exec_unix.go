//go:build !windows

package watchui

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup gives a run its own process group: Ctrl-C at the terminal does not interrupt it, and it can be ended with
// all processes that it started. kill ends what is left of the group.
func ownGroup(cmd *exec.Cmd) (kill func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGTERM) }
	return func() {
		if cmd.Process != nil {
			_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) // it fails if nothing is left
		}
	}
}
