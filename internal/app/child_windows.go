package app

import (
	"context"
	"os"
	"os/exec"
	"syscall"
)

// Windows has no process groups that a signal reaches: the command itself is ended, what it started is its own care.

func ownGroup(*exec.Cmd, bool) {}

func signalOf(context.Context) *Signalled { return &Signalled{Signal: syscall.SIGTERM} }

func signalGroup(cmd *exec.Cmd, _ syscall.Signal) { killGroup(cmd) }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func sweepGroup(*exec.Cmd, int, bool, <-chan os.Signal) {}

func childCode(e *exec.ExitError) int { return e.ExitCode() }

// adopt and lookAfter do nothing: what the command leaves running cannot be found here.
func adopt() chan os.Signal { return nil }

func lookAfter(int, bool, chan os.Signal) func() { return func() {} }

// A reaper does nothing here.
type reaper struct{}

func startReaper(string) *reaper { return nil }

func (*reaper) pid() int { return 0 }

func (*reaper) watch(*exec.Cmd) {}

func (*reaper) dismiss() {}
