//go:build !windows

package serve

import (
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// killAfter is how long a command may take to end after a signal before it is killed.
const killAfter = 5 * time.Second

// A commandGroup is the command, and everything that it starts if it has a process group of its own.
type commandGroup struct {
	cmd *exec.Cmd
	own bool
}

// startGroup starts the command, in a process group of its own if it is to have one. Linux ties it to this process.
func startGroup(cmd *exec.Cmd, own bool) (*commandGroup, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: own}
	endWithParent(cmd.SysProcAttr)
	return &commandGroup{cmd, own}, cmd.Start()
}

func (g *commandGroup) signal(s syscall.Signal) {
	target := g.cmd.Process.Pid
	if g.own {
		target = -target
	}
	_ = unix.Kill(target, s)
}

// empty reports whether nothing is left that is to be ended with the command, which has ended itself.
func (g *commandGroup) empty() bool {
	if !g.own {
		return true
	}
	group := -g.cmd.Process.Pid
	for reaped := 1; reaped > 0; { // an ended process belongs to the group until its parent asks for it
		reaped, _ = unix.Wait4(group, nil, unix.WNOHANG, nil)
	}
	return unix.Kill(group, 0) != nil
}

func (g *commandGroup) close() {}

// ExitCode is the exit code that a shell would report for how the command ended.
func ExitCode(e *exec.ExitError) int {
	if status, ok := e.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return e.ExitCode()
}
