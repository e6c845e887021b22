//go:build !linux && !windows

package keyringtest

import "testing"

// Start skips the test: the keyring of this system is that of the user who runs the tests.
func Start(t testing.TB) (ring System, bus string) {
	t.Helper()
	t.Skip("the keyring of this system is its user's own")
	return nil, ""
}
