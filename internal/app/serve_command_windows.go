package app

import (
	"os/exec"
	"syscall"
)

// Windows has no process groups that a signal reaches: the command itself is ended, and what it started goes on.

func prepareProcess(*exec.Cmd, bool) {}

func leaveInterruptToCommand() {}

func signalProcess(cmd *exec.Cmd, _ syscall.Signal, _ bool) { _ = cmd.Process.Kill() }

func endGroup(*exec.Cmd) {}

func childCode(e *exec.ExitError) int { return e.ExitCode() }
