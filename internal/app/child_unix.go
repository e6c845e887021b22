//go:build !windows

package app

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ownGroup puts the command into a process group of its own, so that all that it starts can be ended with it. At a
// terminal that group is put in front, where it can read from it and receives Ctrl-C; but not where this program was
// started in the background, for a shell that loses its terminal ends.
func ownGroup(cmd *exec.Cmd, terminal bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if front, err := inFront(); terminal && err == nil && front == unix.Getpgrp() {
		cmd.SysProcAttr.Foreground = true
		cmd.SysProcAttr.Ctty = int(os.Stdin.Fd())
	}
	endWithParent(cmd.SysProcAttr)
}

func signalOf(ctx context.Context) *Signalled {
	if s, ok := errors.AsType[*Signalled](context.Cause(ctx)); ok {
		return s
	}
	return &Signalled{Signal: syscall.SIGTERM} // it was ended by no signal
}

func signalGroup(cmd *exec.Cmd, s syscall.Signal) { _ = unix.Kill(-cmd.Process.Pid, s) }

func killGroup(cmd *exec.Cmd) { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }

// inFront is the process group that has the terminal.
func inFront() (group int, err error) { return unix.IoctlGetInt(int(os.Stdin.Fd()), unix.TIOCGPGRP) }

// takeBack takes the terminal from the command's group, or one that has ended, as of what the command started. The shell, where
// it has put all of this in the background, keeps it.
func takeBack(command int) {
	if front, err := inFront(); err == nil && (front == command || errors.Is(unix.Kill(-front, 0), unix.ESRCH)) {
		putInFront(unix.Getpgrp())
	}
}

// putInFront gives a process group the terminal.
func putInFront(group int) {
	signal.Ignore(syscall.SIGTTOU) // a group in the background may set the front one only so
	_ = unix.IoctlSetPointerInt(int(os.Stdin.Fd()), unix.TIOCSPGRP, group)
}

const (
	sweepFor   = time.Second
	sweepEvery = 10 * time.Millisecond
)

// sweepGroup ends what the command left running, in its group or adopted from it, and takes the terminal back. A signal
// meanwhile gives it no more time to end by itself.
func sweepGroup(cmd *exec.Cmd, reaper int, terminal bool, signals <-chan os.Signal) {
	if terminal {
		takeBack(cmd.Process.Pid)
		defer takeBack(cmd.Process.Pid)
	}
	group := -cmd.Process.Pid
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for _, end := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		told := map[int]bool{}
		deadline := time.Now().Add(sweepFor)
		for time.Now().Before(deadline) {
			left := adopted(reaper) // which also lets those go that have ended
			if unix.Kill(group, 0) != nil && len(left) == 0 {
				return
			}
			for _, pid := range append(left, group) {
				if !told[pid] { // each once; ending one can leave others to be adopted
					told[pid] = true
					_ = unix.Kill(pid, end)
				}
			}
			select {
			case <-tick.C:
			case <-signals:
				if end == syscall.SIGTERM {
					deadline = time.Now()
				}
			}
		}
	}
}

// childCode is the exit code that a shell would give for how the command ended.
func childCode(e *exec.ExitError) int {
	if status, ok := e.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return e.ExitCode()
}
