//go:build !windows

package serve

import (
	"os/exec"
	"syscall"
)

// startCommand starts the command. signal sends a signal to the command, with ownGroup also to its process group.
func startCommand(cmd *exec.Cmd, ownGroup bool) (signal func(syscall.Signal), err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: ownGroup}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if ownGroup {
		return func(s syscall.Signal) { _ = syscall.Kill(-cmd.Process.Pid, s) }, nil
	}
	return func(s syscall.Signal) { _ = cmd.Process.Signal(s) }, nil
}
