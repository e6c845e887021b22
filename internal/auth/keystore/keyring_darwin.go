package keystore

import (
	"context"
	"errors"
	"os/exec"
)

// FindKeyring is what a user can do who has no keyring but wants one.
const FindKeyring = "create a login keychain (in Keychain Access)"

// probe has nothing to do: go-keyring runs security(1), whose exit status names the reason.
func probe(context.Context) (locked bool, err error) { return false, nil }

// platformKind maps the exit status of security(1), which is the low byte of an OSStatus (Security/SecBase.h).
func platformKind(err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return ErrAbsent
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return nil
	}
	switch exit.ExitCode() {
	case 36, // errSecInteractionNotAllowed, -25308
		51,  // errSecAuthFailed, -25293
		128: // errSecUserCanceled, -128
		return ErrLocked
	case 37, // errSecNoDefaultKeychain, -25307
		50: // errSecNoSuchKeychain, -25294
		return ErrAbsent
	}
	return nil
}
