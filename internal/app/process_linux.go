package app

import (
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/payctl/payctl/internal/client/redact"
)

// protectMemory keeps the credentials in memory out of core files, and hides them from other programs of the user
// (prctl(2), PR_SET_DUMPABLE). Child processes do not inherit this.
func protectMemory() {
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // a container may refuse it
}

// hidePasswords overwrites database passwords in the memory of os.Args, which other users can list (proc(5), cmdline).
// The program must use copies of its arguments.
func hidePasswords() {
	for _, arg := range os.Args {
		for _, password := range redact.DatabaseSecrets(strings.Clone(arg)) {
			for rest := arg; strings.Contains(rest, password); {
				rest = rest[strings.Index(rest, password):]
				// The strings of os.Args share the writable memory that the kernel shows.
				hidden := unsafe.Slice(unsafe.StringData(rest), len(password)) //nolint:gosec // see above
				copy(hidden, strings.Repeat("x", len(password)))
				rest = rest[len(password):]
			}
		}
	}
}
