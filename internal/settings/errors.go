package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/shell"
)

// environmentPrefix begins the Source of a variable.
const environmentPrefix = "environment "

// Error is a mistake that the user can correct: in a flag, a variable, the configuration file or its folder. It never
// contains a secret value.
type Error struct {
	Path   string // the configuration file; empty if the mistake is not in it
	Line   int    // 1-based; 0 when the whole file is meant
	Column int    // 1-based, in characters; 0 if it is not known
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
	text := e.Path
	for _, position := range []int{e.Line, e.Column} {
		if position > 0 {
			text += fmt.Sprintf(":%d", position)
		}
	}
	if text == "" {
		return e.Reason
	}
	return text + ": " + e.Reason
}

// Unwrap returns the error of the file system.
func (e *Error) Unwrap() error { return e.Cause }

// errorAt is an error of the file at a node; nil if there is none.
func errorAt(n *yaml.Node, err error) error {
	if err == nil {
		return nil
	}
	bad, ok := errors.AsType[*Error](err)
	if !ok {
		bad = &Error{Reason: err.Error()}
	}
	bad.Line, bad.Column = n.Line, n.Column
	return bad
}

// syntaxError is an error of the YAML package, whose text begins with the line where it is known.
func syntaxError(err error) error {
	bad := &Error{Reason: "not valid YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	if _, scan := fmt.Sscanf(err.Error(), "yaml: line %d:", &bad.Line); scan != nil {
		bad.Line = 1
	}
	return bad
}

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

// fileError is the error of a configuration file or folder that cannot be read or written, or that other users could
// change.
func fileError(verb, path string, err error) error {
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	if unsafe, ok := errors.AsType[*securefile.Error](err); ok {
		return &Error{Reason: unsafe.Reason, Next: unsafe.Next, Fix: unsafe.Fix}
	}
	e := &Error{
		Reason: fmt.Sprintf("cannot %s the configuration: %v", verb, err), Cause: err,
		Next: shell.Hint("make sure that you may VERB FILE, or set "+EnvConfigDir+" to another folder",
			shell.Values{"VERB": verb, "FILE": path}),
	}
	if _, blocked := errors.AsType[*securefile.BlockedError](err); blocked {
		e.Next = "" // the reason says it
	} else if verb == "read" && errors.Is(err, fs.ErrPermission) {
		e.Fix = securefile.ReadableCommand(path)
	}
	return e
}

// unknownProfile is the error of a profile that does not exist. by is the setting that names it, or empty.
func (f *File) unknownProfile(name string, by Source) *Error {
	named := ""
	if by != "" {
		named = fmt.Sprintf(" (named by %s)", by)
	}
	if f.nowhere != nil {
		return f.nowhere
	}
	create := shell.Hint("payctl profile set -- PROFILE base_url URL", shell.Values{"PROFILE": name})
	return &Error{
		Reason: fmt.Sprintf("there is no profile %q%s; known profiles: %s", name, named, strings.Join(f.Profiles(), ", ")),
		Next:   "to create it, run " + create, Fix: create,
	}
}
