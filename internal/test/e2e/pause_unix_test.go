//go:build unix

package e2e

import (
	"os"
	"syscall"
)

// pause stops a program until resume lets it go on.
func pause(program *os.Process) error { return program.Signal(syscall.SIGSTOP) }

func resume(program *os.Process) error { return program.Signal(syscall.SIGCONT) }
