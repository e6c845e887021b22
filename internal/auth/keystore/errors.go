package keystore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/securefile"
)

// A kind is a reason for which a store fails, with what the user can usually do about it.
type kind struct{ text, next string }

func (k *kind) Error() string { return k.text }

// LogInToFile is the command that works on a machine without a keyring. The profile remembers it for other commands.
const LogInToFile = "payctl auth login --credential-store file"

const (
	useFile     = "run " + LogInToFile + ", which keeps the login in a file that only you can read"
	checkDialog = "see whether a dialog of the keyring was dismissed"
)

// The reasons for which a store fails, for errors.Is.
var (
	ErrNotFound error = &kind{"no login is stored", "run payctl auth login"}
	// ErrLocked: the keyring is locked and was not unlocked in time.
	ErrLocked error = &kind{
		"the keyring is locked",
		"unlock the login keyring (by its dialog or by logging in to the desktop) and run the command again, or " + useFile,
	}
	// ErrAbsent: there is no session bus, no Secret Service on it, no collection in it, no Credential Manager in this
	// session, or the platform has no keyring.
	ErrAbsent error = &kind{
		"there is no keyring to use",
		useFile + "; or " + FindKeyring,
	}
	ErrTimeout error = &kind{
		"no answer in time",
		"see whether the keyring waits for you in a dialog and run the command again, or " + useFile,
	}
	ErrTooLarge error = &kind{"the login is too large for this store", "log in with --no-save-secret, or " + useFile}
	// ErrCorrupt: what is stored is not a login of that key. It is left as it is.
	ErrCorrupt error = &kind{
		"what is stored is not readable as a login",
		"run payctl auth logout and payctl auth login to replace it",
	}
	// ErrUnsafeFile: users other than the owner could read or replace the file.
	ErrUnsafeFile error = &kind{"the credential file is not safe to use", ""}
	// ErrNotStored: the keyring reported success and holds something else; or the login cannot be encoded.
	ErrNotStored error = &kind{"the login was not stored", checkDialog + " and log in again, or " + useFile}
	// ErrNotDeleted: the keyring reported success and still holds the login.
	ErrNotDeleted error = &kind{"the login was not deleted", checkDialog + " and run payctl auth logout again"}
	ErrOrigin     error = &kind{"the login belongs to another origin", "log in to the origin that the profile names"}
	ErrKind       error = &kind{"unknown credential store", ""}
)

// Error is the error of every method of this package.
type Error struct {
	Op    string // "open", "get", "set" or "delete"
	Store string // the store's name
	Key   Key    // the login that was asked for
	Kind  error  // one of the Err… values, or nil when none of them fits
	Cause error  // the error of the file system or the keyring, or nil
	next  string // overrides the next step of Kind
}

// Error describes what failed, for which login, and why.
func (e *Error) Error() string {
	action := map[string]string{"get": "read the login", "set": "keep the login", "delete": "delete the login"}[e.Op]
	if action == "" {
		action = "be opened"
	}
	var b strings.Builder
	b.WriteString("the " + e.Store + " credential store cannot " + action)
	if e.Key != (Key{}) {
		b.WriteString(" of " + e.Key.String())
	}
	for _, err := range e.Unwrap() {
		b.WriteString(": " + err.Error())
	}
	return b.String()
}

// Unwrap returns Kind and Cause, those that are set.
func (e *Error) Unwrap() []error {
	return slices.DeleteFunc([]error{e.Kind, e.Cause}, func(err error) bool { return err == nil })
}

// Next returns what the user can do about it, as a phrase without a full stop.
func (e *Error) Next() string {
	if e.next != "" {
		return e.next
	}
	if k, ok := errors.AsType[*kind](e.Kind); ok && k.next != "" {
		return k.next
	}
	return "run the command again, or " + useFile
}

// complete turns an error that occurred inside a store into an *Error with all fields.
func complete(err error, op, store string, k Key) *Error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		e = &Error{Cause: err}
		unsafe, isUnsafe := errors.AsType[*securefile.Error](err)
		_, isBlocked := errors.AsType[*securefile.BlockedError](err)
		switch {
		case isUnsafe:
			e.Kind, e.Cause, e.next = ErrUnsafeFile, unsafe, unsafe.Next
		case isBlocked:
			e.next = "run the command again when no other program has the file open"
		case errors.Is(err, securefile.ErrLockHeld):
			e.Kind, e.next = ErrTimeout, "wait for the other payctl to end, or end it, and run the command again"
		}
	}
	return &Error{Op: op, Store: store, Key: k, Kind: e.Kind, Cause: e.Cause, next: e.next}
}

func corrupt(format string, args ...any) error {
	return &Error{Kind: ErrCorrupt, Cause: fmt.Errorf(format, args...)}
}

// isContextEnd reports whether the caller's own context ended.
func isContextEnd(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
