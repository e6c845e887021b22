//go:build !windows

package app

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// prepareProcess puts the command into a process group of its own, if it is to have one, and on Linux ties it to this
// process.
func prepareProcess(cmd *exec.Cmd, group bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: group}
	endWithParent(cmd.SysProcAttr)
}

// leaveInterruptToCommand ignores Ctrl-C and Ctrl-\ from now on. The terminal sends them to the command as well,
// which decides what they do, as under a shell.
func leaveInterruptToCommand() { signal.Ignore(os.Interrupt, syscall.SIGQUIT) }

func signalProcess(cmd *exec.Cmd, s syscall.Signal, group bool) {
	target := cmd.Process.Pid
	if group {
		target = -target
	}
	_ = unix.Kill(target, s)
}

const (
	// groupEnds is how long the rest of a process group may take to end after SIGTERM, and again after SIGKILL.
	groupEnds = time.Second
	// groupPoll is the time between two looks at the group; the system does not report its end.
	groupPoll = 10 * time.Millisecond
)

// endGroup ends what the command, which has ended itself, left running in its process group. A signal to this program
// in the meantime kills the rest at once.
func endGroup(cmd *exec.Cmd) {
	hurry := make(chan os.Signal, 1)
	signal.Notify(hurry, handledSignals()...)
	defer signal.Stop(hurry)
	group := -cmd.Process.Pid
	tick := time.NewTicker(groupPoll)
	defer tick.Stop()
	for _, end := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if unix.Kill(group, end) != nil {
			return // the group is empty
		}
		deadline := time.Now().Add(groupEnds)
		for time.Now().Before(deadline) {
			select {
			case <-tick.C:
				for reaped := 1; reaped > 0; { // an ended process belongs to the group until its parent asks for it
					reaped, _ = unix.Wait4(group, nil, unix.WNOHANG, nil)
				}
				if unix.Kill(group, 0) != nil {
					return
				}
			case <-hurry:
				if end == syscall.SIGTERM {
					deadline = time.Now()
				}
			}
		}
	}
}

// childCode is the exit code that a shell would report for how the command ended.
func childCode(e *exec.ExitError) int {
	if status, ok := e.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return e.ExitCode()
}
