package cmdutil

import (
	"os"
	"os/signal"
	"syscall"
)

// Signalled is the error of a program that a signal ended.
type Signalled struct {
	Signal syscall.Signal
	// During is the error of what the signal interrupted. It is nil unless that must be reported: a write that is
	// unknown or was not sent, or rows of a batch.
	During error
}

// Error implements error.
func (s *Signalled) Error() string {
	switch s.Signal {
	case syscall.SIGTERM:
		return "terminated"
	case syscall.SIGHUP:
		return "the terminal was closed"
	}
	return "interrupted"
}

// Unwrap returns the error of what was interrupted.
func (s *Signalled) Unwrap() error { return s.During }

// ExitCode is the exit code that a shell reports for a program that a signal ended.
func (s *Signalled) ExitCode() int { return 128 + int(s.Signal) }

// allEndSignals are the signals that end the program: Ctrl-C, a supervisor's, and that of a closed terminal.
var allEndSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// EndSignals are the signals that end the program and that the program handles. Under nohup SIGHUP is ignored, and
// stays so.
func EndSignals() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return allEndSignals[:len(allEndSignals)-1]
	}
	return allEndSignals
}
