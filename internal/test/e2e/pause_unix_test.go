//go:build unix

package e2e

import (
	"os"
	"syscall"
)

// pause stops a program until resume lets it go on.
func pause(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }

func resume(p *os.Process) error { return p.Signal(syscall.SIGCONT) }
