// Package program finds and prepares the programs that payctl runs for its user, such as that of --exec.
package program

import (
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// Find finds the program that a flag or a variable names: the whole text is its name, or, if there is no such program,
// the first of the words into which the text is split, as a shell would, or on Windows as programs do. Nothing else
// that a shell does is done.
func Find(named, text string) (path string, args []string, err error) {
	path, err = exec.LookPath(text)
	if err == nil {
		err = checkKind(path)
	}
	if err == nil {
		return path, nil, nil
	}
	words, splitErr := splitWords(text)
	if splitErr != nil || len(words) < 2 {
		return "", nil, cmdutil.Usage("%s cannot run %s: %v", named, text, errors.Join(splitErr, WhyNotRun(err)))
	}
	if path, err = exec.LookPath(words[0]); err == nil {
		err = checkKind(path)
	}
	if err != nil {
		return "", nil, cmdutil.Usage("%s cannot run %s: %v", named, words[0], WhyNotRun(err))
	}
	return path, words[1:], nil
}

// EventPrefix begins the names of the environment variables that describe a change to a program of --exec.
const EventPrefix = "PAYCTL_EVENT_"

// Environment returns the environment of a program that payctl runs for the user, such as that of
// --exec: without credentials, without all settings of a service, among which are more of them, and without
// variables that could be mistaken for those of a change.
func Environment(environment []string) []string {
	secrets := []string{settings.EnvToken, settings.EnvSecret, settings.EnvClientID, "PGPASSWORD", "PGPASSFILE"}
	prefixes := []string{settings.Variable("serve", ""), EventPrefix}
	return slices.DeleteFunc(slices.Clone(environment), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		name = strings.ToUpper(name) // Windows does not distinguish the cases
		hasPrefix := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		return slices.Contains(secrets, name) || slices.ContainsFunc(prefixes, hasPrefix)
	})
}

// WhyNotRun is why a program could not be found or started, without its name, which the message names already.
func WhyNotRun(err error) error {
	if failed, ok := errors.AsType[*exec.Error](err); ok {
		if errors.Is(err, exec.ErrDot) {
			path, _ := exec.LookPath(failed.Name)
			return errors.New(shell.Hint("it was found relative to the current folder, and runs from there only by its path: write PATH",
				shell.Values{"PATH": "." + string(filepath.Separator) + path}))
		}
		err = whyNotFound(failed)
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = whyNotStarted(failed)
	}
	return err
}
