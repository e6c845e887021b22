package keystore

import (
	"errors"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/shell"
)

// A kind is a reason for which a store fails: its name in a problem's type, its text, and what the user can usually do.
type kind struct {
	name, text string
	next       shell.Hint
}

const otherKind = "credential-store"

func (k *kind) Error() string { return k.text }

// LogInToFile is the command that works on a machine without a keyring. The profile remembers it for other commands.
func LogInToFile() shell.Hint { return shell.Payctl("auth login --credential-store file") }

// useFile adds what else can be done to LogInToFile.
func useFile(or string) shell.Hint {
	return LogInToFile().With("keeps the login in a file that only you can read; or " + or)
}

// The reasons for which a store fails, for errors.Is.
var (
	ErrNotFound error = &kind{"not-logged-in", "no login is stored", shell.Payctl("auth login")}
	ErrLocked   error = &kind{
		"keyring-locked", "the keyring is locked",
		useFile("unlock the login keyring, by its dialog or by logging in to the desktop, and run the command again"),
	}
	// ErrAbsent: there is no session bus, no Secret Service on it, no collection in it, no Credential Manager in this
	// session, or the platform has no keyring.
	ErrAbsent  error = &kind{"keyring-absent", "there is no keyring to use", useFile(FindKeyring)}
	ErrTimeout error = &kind{
		"keyring-timeout", "no answer in time",
		useFile("see whether the keyring waits for you in a dialog, such as to be unlocked, and run the command again"),
	}
	ErrTooLarge error = &kind{
		otherKind, "the login is too large for this store", LogInToFile().With("keeps the login in a file that only you can read"),
	}
	// ErrCorrupt: what is stored is not a login of that key. It is left as it is.
	ErrCorrupt error = &kind{
		otherKind, "what is stored is not readable as a login", shell.Payctl("auth login").With("replaces it"),
	}
)

// FindKeyring is what a user can do who has no keyring but wants one. On Windows a logon over the network, as one by SSH
// with a key is, and a task whose password is not stored have no Credential Manager.
const FindKeyring = "start a keyring in this session (gnome-keyring, KWallet or KeePassXC; on macOS, create a login keychain; " +
	"on Windows, open the session with a password)"

// Error is the error of every method of this package.
type Error struct {
	Op    string     // what the store cannot do, such as "read the login"
	Store string     // the store's name
	Key   Key        // the login that was asked for
	Err   error      // why; it matches one of the Err… values where one of them fits
	next  shell.Hint // overrides the next step of Err
}

// Error describes what failed, for which login, and why.
func (e *Error) Error() string {
	return "the " + e.Store + " credential store cannot " + e.Op + " of " + e.Key.String() + ": " + e.Err.Error()
}

// Unwrap returns why the store failed.
func (e *Error) Unwrap() error { return e.Err }

// Kind returns the name of the kind of problem.
func (e *Error) Kind() string {
	if k, ok := errors.AsType[*kind](e.Err); ok {
		return k.name
	}
	return otherKind
}

// Next returns what the user can do about it.
func (e *Error) Next() shell.Hint {
	if unsafe, ok := errors.AsType[*securefile.Error](e.Err); ok {
		return unsafe.Next
	}
	if k, ok := errors.AsType[*kind](e.Err); ok && e.next.IsZero() {
		return k.next
	}
	if e.next.IsZero() {
		return useFile("run the command again")
	}
	return e.next
}
