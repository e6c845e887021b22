package credential

import (
	"errors"
	"strings"
)

// What can go wrong, for errors.Is.
var (
	// ErrNotFound says that the store was asked and holds no such login.
	ErrNotFound = errors.New("no login is stored")
	// ErrLocked says that the keyring is locked and was not unlocked in time.
	ErrLocked = errors.New("the keyring is locked")
	// ErrAbsent says that there is no keyring: no session bus, no secret service on
	// it, no collection in it, or a platform without one.
	ErrAbsent = errors.New("there is no keyring to use")
	// ErrTimeout says that the store did not answer within its deadline.
	ErrTimeout = errors.New("no answer in time")
	// ErrTooLarge says that the store cannot hold a login of that size.
	ErrTooLarge = errors.New("the login is too large for this store")
	// ErrCorrupt says that what is stored is not a login of that key. It is left as it is.
	ErrCorrupt = errors.New("what is stored is not readable as a login")
	// ErrUnsafeFile says that others than the owner could read or replace the file.
	ErrUnsafeFile = errors.New("the credential file is not safe to use")
	// ErrNotStored says that a Set reported success, and that reading back did not agree
	// (or that the login could not be read back as it is, so that nothing was sent).
	ErrNotStored = errors.New("the login was not stored")
	// ErrNotDeleted says that a Delete reported success and that the login is still there.
	ErrNotDeleted = errors.New("the login was not deleted")
	// ErrOrigin says that a login of one origin was to be stored for another.
	ErrOrigin = errors.New("the login belongs to another origin")
	// ErrKind says that there is no store of that kind.
	ErrKind = errors.New("unknown credential store")
)

// Error is how every method of this package fails.
type Error struct {
	// Op is "open", "get", "set" or "delete".
	Op string
	// Store is the store's name.
	Store string
	// Key is the login that was asked for.
	Key Key
	// Kind is one of the Err… values, or nil when none of them fits.
	Kind error
	// Cause is what was reported below, or nil.
	Cause error

	next string
}

// Error says what failed, for which login, and why.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("the " + e.Store + " credential store cannot " + e.what())
	if e.Key != (Key{}) {
		b.WriteString(" of " + e.Key.String())
	}
	for _, err := range e.Unwrap() {
		b.WriteString(": " + err.Error())
	}
	return b.String()
}

// what is what a method does, in the words of a user.
func (e *Error) what() string {
	switch e.Op {
	case "get":
		return "read the login"
	case "set":
		return "keep the login"
	case "delete":
		return "delete the login"
	}
	return "be opened"
}

// Unwrap returns Kind and Cause, those that are set.
func (e *Error) Unwrap() []error {
	errs := make([]error, 0, 2)
	for _, err := range []error{e.Kind, e.Cause} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// Next says what the user can do about it, as a phrase without a full stop.
func (e *Error) Next() string {
	if e.next != "" {
		return e.next
	}
	const file = "pass --credential-store file to keep the login in a file that only you can read"
	switch e.Kind {
	case ErrNotFound: //nolint:errorlint // Kind is one of these values itself, never wrapped
		return "run payctl auth login"
	case ErrLocked:
		return "unlock the login keyring (by its own dialog or by logging in to the desktop) and run the command again, or " + file
	case ErrAbsent:
		return "start a secret service (gnome-keyring, KWallet or KeePassXC) in this session, or " + file
	case ErrTimeout:
		return "see whether the keyring waits for you in a dialog and run the command again, or " + file
	case ErrTooLarge:
		return "log in with --no-save-secret, or " + file
	case ErrCorrupt:
		return "run payctl auth logout and payctl auth login to replace it"
	case ErrNotStored:
		return "see whether a dialog of the keyring was dismissed and log in again, or " + file
	case ErrNotDeleted:
		return "see whether a dialog of the keyring was dismissed and run payctl auth logout again"
	case ErrOrigin:
		return "log in to the origin that the profile names"
	}
	return "run the command again, or " + file
}

// kinded gives a cause its kind on the way up to where the Error is made.
type kinded struct {
	kind, cause error
	next        string
}

func (k *kinded) Error() string {
	if k.cause == nil {
		return k.kind.Error()
	}
	return k.kind.Error() + ": " + k.cause.Error()
}

func (k *kinded) Unwrap() error { return k.cause }
