//go:build !linux && !netbsd && !openbsd && !darwin && !windows && !(freebsd && cgo) && !(dragonfly && cgo)

package keystore

import "context"

// FindKeyring is what a user can do who has no keyring but wants one.
const FindKeyring = "run payctl on a system with a keyring"

// probe has nothing to do: go-keyring supports no keyring of this platform, and its own error says so.
func probe(context.Context) (locked bool, err error) { return false, nil }

func platformKind(error) error { return nil }
