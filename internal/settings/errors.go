package settings

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/shell"
)

// environmentPrefix begins the Source of a variable.
const environmentPrefix = "environment "

// Error is a mistake that the user can correct, in a flag, a variable, the configuration file or its folder. It never
// contains a secret.
type Error struct {
	Path   string // the configuration file, if the mistake is in it
	Line   int    // from 1; zero means the whole file
	Reason string
	Next   shell.Hint // the next step, if Reason is not enough
	Cause  error      // of the file system, or nil
}

// Error returns the problem and the next step.
func (e *Error) Error() string {
	if e.Next.IsZero() {
		return e.Problem()
	}
	return e.Problem() + "; " + e.Next.String()
}

// Problem returns the position, if there is one, and the reason.
func (e *Error) Problem() string {
	switch {
	case e.Line > 0:
		return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Reason)
	case e.Path != "":
		return e.Path + ": " + e.Reason
	}
	return e.Reason
}

// Unwrap returns the error of the file system.
func (e *Error) Unwrap() error { return e.Cause }

// errorAt returns err with the line of a node, or nil.
func errorAt(n *yaml.Node, err error) error {
	if err == nil {
		return nil
	}
	bad, ok := errors.AsType[*Error](err)
	if !ok {
		bad = &Error{Reason: err.Error()}
	}
	bad.Line = n.Line
	return bad
}

// syntaxError is an error of the YAML package. Its text begins with the line, if that is known.
func syntaxError(err error) error {
	bad := &Error{Reason: "not valid YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	if _, scan := fmt.Sscanf(err.Error(), "yaml: line %d:", &bad.Line); scan != nil {
		bad.Line = 1
	}
	return bad
}

// invalidValue is the error for a value that its key does not accept. origin is the source of the value, or its key.
func invalidValue(origin string, err error) *Error {
	e := &Error{Reason: origin + ": " + err.Error()}
	if variable, ok := strings.CutPrefix(origin, environmentPrefix); ok {
		e.Next = shell.Unset(variable)
	}
	if strings.HasPrefix(origin, "flag ") {
		e.Next = shell.Payctl("help flags")
	}
	return e
}

// fileError is the error for a configuration file or folder that cannot be read or written, or that other users could
// change.
func fileError(verb, path string, err error) error {
	if unsafe, ok := errors.AsType[*securefile.Error](err); ok {
		return &Error{Reason: unsafe.Reason, Next: unsafe.Next}
	}
	return &Error{
		Reason: fmt.Sprintf("cannot %s the configuration: %v", verb, err), Cause: err,
		Next: shell.Note("make sure that you may "+verb+" %s, or set "+EnvConfigDir+" to another folder", path),
	}
}

// unknownProfile is the error for a profile that does not exist. by is the setting that names it, or empty.
func (f *File) unknownProfile(name string, by Source) *Error {
	named := ""
	if by != "" {
		named = fmt.Sprintf(" (named by %s)", by)
	}
	return &Error{
		Reason: fmt.Sprintf("there is no profile %q%s; known profiles: %s", name, named, strings.Join(f.Profiles(), ", ")),
		Next:   shell.Payctl("profile set --", name, "base_url", "URL"),
	}
}
