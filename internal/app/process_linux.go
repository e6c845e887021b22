package app

import (
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/payctl/payctl/internal/client/redact"
)

// protectMemory keeps the memory of this process, which holds credentials, out of core files and away from debuggers
// and other programs of the same user (prctl(2), PR_SET_DUMPABLE). Programs that it starts are not affected.
func protectMemory() {
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // best effort: a sandbox may refuse it
}

// hidePasswords overwrites the passwords of databases in the memory of this program's arguments, which other users can
// list (proc(5), cmdline). Arguments that the program still needs have to be copies.
func hidePasswords() {
	for _, arg := range os.Args {
		for _, password := range redact.DatabaseSecrets(strings.Clone(arg)) {
			for rest := arg; strings.Contains(rest, password); {
				rest = rest[strings.Index(rest, password):]
				// The runtime makes the texts of os.Args of the memory that the kernel shows, which is writable.
				hidden := unsafe.Slice(unsafe.StringData(rest), len(password)) //nolint:gosec // see above
				copy(hidden, strings.Repeat("x", len(password)))
				rest = rest[len(password):]
			}
		}
	}
}
