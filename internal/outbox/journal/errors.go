package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/payctl/payctl/internal/sqlitedb"
)

// Errors of a Journal, wrapped with what to do about them.
var (
	// ErrNewer means that a later version of payctl has used the file.
	ErrNewer = errors.New("the journal was written by a later version of payctl")
	// ErrCorrupt means that the file is damaged or is not a journal.
	ErrCorrupt = errors.New("the journal is damaged")
	// ErrUnsafe means that the file is a link, or that others may read it.
	ErrUnsafe = errors.New("the journal is not safe to use")
	// ErrLocked means that another program has kept the file locked during the whole wait.
	ErrLocked = errors.New("another program keeps the journal locked")
	// ErrGone means that the file was removed, moved or replaced while it was used.
	ErrGone = errors.New("the journal was taken away while it was used")
	// ErrMoved means that another program has sent or found a write since it was read.
	ErrMoved = errors.New("another program has sent this write meanwhile; run this again")
)

// An UnusableError says that the journal's file cannot be read or written for a reason without an error of its own,
// such as a full disk.
type UnusableError struct {
	Path string
	Err  error
}

func (e *UnusableError) Error() string {
	return fmt.Sprintf("the journal %s cannot be used: %v", e.Path, e.Err)
}

// Unwrap returns the reason.
func (e *UnusableError) Unwrap() error { return e.Err }

// IsFailure reports whether an error means that the journal cannot be used.
func IsFailure(err error) bool {
	_, unusable := errors.AsType[*UnusableError](err)
	reasons := []error{ErrNewer, ErrCorrupt, ErrUnsafe, ErrLocked, ErrGone}
	return unusable || slices.ContainsFunc(reasons, func(reason error) bool { return errors.Is(err, reason) })
}

// explain turns an error of the file into one of this package, and adds what to do about it.
func explain(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sqlitedb.ErrNewer):
		return fmt.Errorf("%w: %s; use that version, or another state folder", ErrNewer, path)
	case errors.Is(err, ErrLocked), sqlitedb.HasCode(err, sqlitedb.Busy, sqlitedb.Protocol):
		return fmt.Errorf("%w: %s; try again, or allow more time with --timeout", ErrLocked, path)
	case errors.Is(err, sqlitedb.ErrGone):
		return fmt.Errorf("%w: %s; run the same line again; it looks at the service for what was sent", ErrGone, path)
	case errors.Is(err, errForeign), errors.Is(err, sqlitedb.ErrCut), errors.Is(err, errSchema),
		errors.Is(err, errForged),
		sqlitedb.HasCode(err, sqlitedb.Corrupt, sqlitedb.NotADatabase):
		return fmt.Errorf("%w: %s (%w); move it away, and look for open writes among the service's transfers",
			ErrCorrupt, path, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return &UnusableError{path, asUnsafe(err)}
}
