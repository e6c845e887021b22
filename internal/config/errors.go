package config

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUsage matches, through [errors.Is], every error of this package that the user mends by changing
// a flag, a variable, the configuration file or the folder that it is in.
var ErrUsage = errors.New("settings cannot be used")

// FileError is a configuration file that cannot be used as it stands.
type FileError struct {
	Path   string
	Line   int // 1-based; 0 when the whole file is meant
	Column int // 1-based, in characters; for a syntax error the start of the text on Line
	Reason string
}

func (e *FileError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.Path, e.Reason)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Reason)
}

// Is reports that a FileError is a usage error.
func (e *FileError) Is(target error) bool { return target == ErrUsage }

// FolderError is a folder, or a file in it, that the file system does not let the program use.
type FolderError struct {
	Op   string // "read" or "write"
	Path string
	Err  error
}

func (e *FolderError) Error() string {
	return fmt.Sprintf("cannot %s the configuration: %v; make sure that you may %s %s, or set %s to another folder", e.Op, e.Err, e.Op, e.Path, EnvConfigDir)
}

func (e *FolderError) Unwrap() error { return e.Err }

// Is reports that a FolderError is a usage error.
func (e *FolderError) Is(target error) bool { return target == ErrUsage }

// UsageError is a set of flags, variables and profile entries that contradict each other or leave
// something necessary out.
type UsageError struct {
	Reason string
	Hint   string // what to do next
}

func (e *UsageError) Error() string { return e.Reason + "; " + e.Hint }

// Is reports that a UsageError is a usage error.
func (e *UsageError) Is(target error) bool { return target == ErrUsage }

// ValueError is a value that its key does not accept. It never holds a secret value.
type ValueError struct {
	Key    string
	Source Source // where the value was given; "" for [File.SetValue]
	Reason string
}

func (e *ValueError) Error() string {
	if e.Source == "" {
		return fmt.Sprintf("%s: %s", e.Key, e.Reason)
	}
	return fmt.Sprintf("%s: %s", e.Source, e.Reason)
}

// Is reports that a ValueError is a usage error.
func (e *ValueError) Is(target error) bool { return target == ErrUsage }

// UnknownProfileError is a profile that was named but does not exist.
type UnknownProfileError struct {
	Name   string
	Source Source // who named it; "" for a method's argument
	Known  []string
}

func (e *UnknownProfileError) Error() string {
	named := ""
	if e.Source != "" {
		named = fmt.Sprintf(" (named by %s)", e.Source)
	}
	return fmt.Sprintf("there is no profile %q%s; known profiles: %s; to make one run 'payctl profile set NAME base_url URL'",
		e.Name, named, strings.Join(e.Known, ", "))
}

// Is reports that an UnknownProfileError is a usage error.
func (e *UnknownProfileError) Is(target error) bool { return target == ErrUsage }

// UnknownKeyError is a profile key that does not exist.
type UnknownKeyError struct {
	Key     string
	Nearest string // the one that may have been meant; empty where none is like it
	Known   []string
}

func (e *UnknownKeyError) Error() string {
	known := "; a profile's keys are "
	if e.Nearest != "" {
		known = fmt.Sprintf(", did you mean %q? A profile's keys are ", e.Nearest)
	}
	return fmt.Sprintf("unknown key %q%s%s", e.Key, known, strings.Join(e.Known, ", "))
}

// Is reports that an UnknownKeyError is a usage error.
func (e *UnknownKeyError) Is(target error) bool { return target == ErrUsage }
