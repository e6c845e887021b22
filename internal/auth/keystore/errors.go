package keystore

import (
	"errors"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/shell"
)

// A failure is a reason why a store fails: its name in a problem's type, its text, and the usual next step.
type failure struct {
	name, text string
	next       shell.Hint
}

const otherFailure = "credential-store"

func (f *failure) Error() string { return f.text }

// LogInToFile is the command for a machine without a keyring. The profile keeps the setting.
func LogInToFile() shell.Hint { return shell.Payctl("auth login --credential-store file") }

// useFile is LogInToFile with an alternative.
func useFile(or string) shell.Hint {
	return LogInToFile().With("keeps the login in a file that only you can read; or " + or)
}

// The reasons why a store fails, for errors.Is.
var (
	ErrNotFound error = &failure{"not-logged-in", "no login is stored", shell.Payctl("auth login")}
	ErrLocked   error = &failure{
		"keyring-locked", "the keyring is locked",
		useFile("unlock the login keyring, in its dialog or by logging in to the desktop, and run the command again"),
	}
	// ErrAbsent means that the platform or the session has no usable keyring.
	ErrAbsent  error = &failure{"keyring-absent", "there is no keyring to use", useFile(FindKeyring)}
	ErrTimeout error = &failure{
		"keyring-timeout", "no answer in time",
		useFile("check whether the keyring shows a dialog, for example to unlock it, and run the command again"),
	}
	ErrTooLarge error = &failure{
		otherFailure, "the login is too large for this store",
		LogInToFile().With("keeps the login in a file that only you can read"),
	}
	// ErrCorrupt means that the stored data is not a login of that key. The store does not change it.
	ErrCorrupt error = &failure{
		otherFailure, "the stored data is not a login", shell.Payctl("auth login").With("replaces it"),
	}
)

// FindKeyring is the advice for a user who wants a keyring. On Windows a network logon, for example by SSH with a key,
// has no Credential Manager, nor has a task without a stored password.
const FindKeyring = "start a keyring in this session (gnome-keyring, KWallet or KeePassXC; " +
	"on macOS, create a login keychain; on Windows, open the session with a password)"

// Error is the error of every method of this package.
type Error struct {
	Op    string     // the failed operation, such as "read the login"
	Store string     // the store's name
	Key   Key        // of the login
	Err   error      // the reason; it matches one of the Err… values if one fits
	next  shell.Hint // overrides the next step of Err
}

// Error implements error.
func (e *Error) Error() string {
	return "the " + e.Store + " credential store cannot " + e.Op + " of " + e.Key.String() + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// ProblemType returns the name in a problem's type.
func (e *Error) ProblemType() string {
	if f, ok := errors.AsType[*failure](e.Err); ok {
		return f.name
	}
	return otherFailure
}

// Next returns the next step for the user.
func (e *Error) Next() shell.Hint {
	if unsafe, ok := errors.AsType[*securefile.Error](e.Err); ok {
		return unsafe.Next
	}
	if f, ok := errors.AsType[*failure](e.Err); ok && e.next.IsZero() {
		return f.next
	}
	if e.next.IsZero() {
		return useFile("run the command again")
	}
	return e.next
}
