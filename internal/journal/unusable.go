package journal

import (
	"errors"
	"fmt"
	"slices"
)

// An UnusableError says that the journal's file cannot be read or written, for none of the reasons that have an error of their
// own: a folder in which nothing can be written, a full disk.
type UnusableError struct {
	Path string
	Err  error
}

// Error implements error.
func (e *UnusableError) Error() string {
	return fmt.Sprintf("the journal %s cannot be used: %v", e.Path, e.Err)
}

// Unwrap gives errors.Is and errors.As the reason.
func (e *UnusableError) Unwrap() error { return e.Err }

// IsFailure says whether an error is that the journal cannot be used, for whatever reason.
func IsFailure(err error) bool {
	_, unusable := errors.AsType[*UnusableError](err)
	return unusable || slices.ContainsFunc([]error{ErrNewer, ErrCorrupt, ErrUnsafe, ErrLocked, ErrGone}, func(reason error) bool { return errors.Is(err, reason) })
}
