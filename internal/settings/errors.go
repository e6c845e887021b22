package settings

import (
	"errors"
	"fmt"
	"strings"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/shell"
)

// Error is a mistake that the user can correct: in a flag, a variable, the configuration file or its folder. It never
// contains a secret value.
type Error struct {
	Path   string // the configuration file or folder; empty if the mistake is not in it
	Line   int    // 1-based; 0 when the whole file is meant
	Column int    // 1-based, in characters; for a syntax error the start of the text on Line
	Reason string
	Next   string // what to do, as a phrase without a full stop; empty where Reason is enough
	Fix    string // the command that does it; empty where there is none
	Cause  error  // of the file system; may be nil
}

// Error returns the problem and what to do.
func (e *Error) Error() string {
	if e.Next == "" {
		return e.Problem()
	}
	return e.Problem() + "; " + e.Next
}

// Problem returns the position, if there is one, and the reason.
func (e *Error) Problem() string {
	switch {
	case e.Path == "":
		return e.Reason
	case e.Line == 0:
		return e.Path + ": " + e.Reason
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Reason)
}

// Unwrap returns the error of the file system.
func (e *Error) Unwrap() error { return e.Cause }

// invalidValue is the error of a value that its key does not accept. The origin is the source of the value, or its key.
func invalidValue(origin string, err error) *Error {
	e := &Error{Reason: origin + ": " + err.Error()}
	if variable, ok := strings.CutPrefix(origin, environmentPrefix); ok {
		e.Fix = shell.UnsetCommand(variable)
	}
	if strings.HasPrefix(origin, "flag ") {
		e.Fix = "payctl help flags"
	}
	return e
}

// folderError is the error of a configuration file or folder that the file system does not let the program read or
// write.
func folderError(verb, path string, err error) *Error {
	if blocked, ok := errors.AsType[*securefile.BlockedError](err); ok {
		return &Error{Reason: fmt.Sprintf("cannot %s the configuration: %v", verb, blocked), Cause: err}
	}
	return &Error{
		Reason: fmt.Sprintf("cannot %s the configuration: %v", verb, err), Cause: err,
		Next: shell.Hint("make sure that you may VERB FILE, or set "+EnvConfigDir+" to another folder",
			shell.Values{"VERB": verb, "FILE": path}),
	}
}

// unsafeError is the error of a file or folder that other users could change, or that is of the wrong kind.
func unsafeError(found *securefile.Error) *Error {
	return &Error{Reason: found.Reason, Next: found.Next, Fix: found.Fix}
}

// unknownProfile is the error of a profile that does not exist. by is the setting that names it, or empty.
func (f *File) unknownProfile(name string, by Source) *Error {
	if _, err := profileName(name); err != nil {
		return invalidValue(KeyProfile, err)
	}
	if f.nowhere != nil {
		return f.nowhere
	}
	named := ""
	if by != "" {
		named = fmt.Sprintf(" (named by %s)", by)
	}
	create := shell.Hint("payctl profile set -- PROFILE base_url URL", shell.Values{"PROFILE": name})
	return &Error{
		Reason: fmt.Sprintf("there is no profile %q%s; known profiles: %s", name, named, strings.Join(f.Profiles(), ", ")),
		Next:   "to create it, run " + create, Fix: create,
	}
}
