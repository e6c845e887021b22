//go:build !windows

package cmdutil

import (
	"io/fs"
	"os/exec"

	"github.com/kballard/go-shellquote"
)

func splitWords(text string) ([]string, error) { return shellquote.Split(text) }

// checkKind accepts every program: the system knows from its first line what runs it.
func checkKind(string) error { return nil }

// CheckArguments accepts all arguments: they reach every program as they are.
func CheckArguments(string, []string) error { return nil }

func whyNotFound(failed *exec.Error) error { return failed.Err }

func whyNotStarted(failed *fs.PathError) error { return failed.Err }
