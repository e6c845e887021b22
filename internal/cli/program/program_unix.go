//go:build !windows

package program

import (
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/kballard/go-shellquote"
)

func splitWords(text string) ([]string, error) { return shellquote.Split(text) }

// checkKind accepts every program: the system knows from its first line what runs it.
func checkKind(string) error { return nil }

// CheckArguments accepts all arguments: they reach every program as they are.
func CheckArguments(string, []string) error { return nil }

// CheckVariables accepts all variables: shells do not run what is in them.
func CheckVariables(string, []string) error { return nil }

func whyNotFound(failed *exec.Error) error { return failed.Err }

func whyNotStarted(failed *fs.PathError) error { return failed.Err }

// LeaveInterrupts leaves Ctrl-C and Ctrl-\ to a program that was started at the terminal, which gets them as well and
// decides what they do, as under a shell. It is called after the start: programs inherit what is ignored.
func LeaveInterrupts() { signal.Ignore(os.Interrupt, syscall.SIGQUIT) }
