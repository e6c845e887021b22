package cmdutil

import (
	"errors"
	"os/exec"

	"github.com/kballard/go-shellquote"
)

// FindProgram finds the program that a flag or a variable names: the whole text is its name, or, if there is no such program,
// the first of the words into which a shell would split the text. Nothing else that a shell does is done.
func FindProgram(named, text string) (path string, args []string, err error) {
	path, err = exec.LookPath(text)
	if err == nil {
		return path, nil, nil
	}
	words, splitErr := shellquote.Split(text)
	if splitErr != nil || len(words) < 2 {
		return "", nil, Usage("%s cannot run %s: %v", named, text, errors.Join(splitErr, WhyNotRun(err)))
	}
	if path, err = exec.LookPath(words[0]); err != nil {
		return "", nil, Usage("%s cannot run %s: %v", named, words[0], WhyNotRun(err))
	}
	return path, words[1:], nil
}
