package credential

import (
	"context"
	"errors"
	"os/exec"
)

// probe has nothing to ask: go-keyring runs a tool of the system, whose exit status says it.
func probe(context.Context, func()) (locked bool, err error) { return false, nil }

// platformKind reads the exit status of security(1), the low byte of an OSStatus
// (Security/SecBase.h).
func platformKind(err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return ErrAbsent
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
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
