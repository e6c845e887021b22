package credential

import (
	"context"
	"errors"
	"syscall"
)

// probe has nothing to ask: the credential manager answers at once.
func probe(context.Context, func()) (locked bool, err error) { return false, nil }

// errNoSuchLogonSession is what the credential manager answers in sessions that have no
// credential set, network logons for one (winerror.h).
const errNoSuchLogonSession = syscall.Errno(1312)

// errBadStubData is what it answers to a value that is longer than it takes (RPC_X_BAD_STUB_DATA, winerror.h).
const errBadStubData = syscall.Errno(1783)

func platformKind(err error) error {
	if errors.Is(err, errBadStubData) {
		return ErrTooLarge
	}
	if errors.Is(err, errNoSuchLogonSession) {
		return ErrAbsent
	}
	if errors.Is(err, syscall.ERROR_NOT_FOUND) {
		return ErrNotFound
	}
	return nil
}
