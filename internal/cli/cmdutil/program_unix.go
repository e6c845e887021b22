//go:build !windows

package cmdutil

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/kballard/go-shellquote"
	"golang.org/x/sys/unix"
)

func splitWords(text string) ([]string, error) { return shellquote.Split(text) }

// CheckArguments accepts all arguments: they reach every program as they are.
func CheckArguments(string, []string) error { return nil }

// checkVariables accepts all variables: shells do not run what is in them.
func checkVariables(string, []string) error { return nil }

// LeaveInterrupts leaves Ctrl-C and Ctrl-\ to a program that was started at the terminal, which gets them as well and
// decides what they do, as under a shell. It is called after the start: programs inherit what is ignored.
func LeaveInterrupts() { signal.Ignore(os.Interrupt, syscall.SIGQUIT) }

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
