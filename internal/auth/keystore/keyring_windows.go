package keystore

import (
	"context"
	"errors"
	"syscall"
)

// FindKeyring is what a user can do who has no keyring but wants one. A logon over the network, as one by SSH with a key
// is, and a task whose password is not stored have no Credential Manager.
const FindKeyring = "run payctl in a session that was opened with a password (at the desktop, by Remote Desktop, or a " +
	"task whose password is stored)"

// probe has nothing to do: the credential manager answers at once.
func probe(context.Context) (locked bool, err error) { return false, nil }

// Errors of the credential manager (winerror.h).
const (
	errNoSuchLogonSession = syscall.Errno(1312) // the session has no credential set, as network logons have none
	errBadStubData        = syscall.Errno(1783) // RPC_X_BAD_STUB_DATA: the value is longer than it takes
)

func platformKind(err error) error {
	switch {
	case errors.Is(err, errBadStubData):
		return ErrTooLarge
	case errors.Is(err, errNoSuchLogonSession):
		return ErrAbsent
	case errors.Is(err, syscall.ERROR_NOT_FOUND):
		return ErrNotFound
	}
	return nil
}
