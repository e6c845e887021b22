package securefile

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"

	"github.com/payctl/payctl/internal/shell"
)

// isBusy reports whether an error may go away by itself. "Access is denied" is ambiguous: it is also the error for a
// file that is to vanish when the last program closes it, and for replacing an open file where the file system knows no
// other way.
func isBusy(err error) bool {
	code, _ := errors.AsType[syscall.Errno](err)
	switch code {
	case windows.ERROR_ACCESS_DENIED, windows.ERROR_SHARING_VIOLATION, windows.ERROR_LOCK_VIOLATION,
		windows.ERROR_USER_MAPPED_FILE, windows.ERROR_DELETE_PENDING:
		return true
	}
	return false
}

// isHeld reports whether another program has the file at path open, after an error for which isBusy is true. Where that
// error is ambiguous it opens the file for itself alone, which fails while another program has it open.
func isHeld(path string, err error) bool {
	if code, _ := errors.AsType[syscall.Errno](err); code != windows.ERROR_ACCESS_DENIED {
		return true
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return false
	}
	const alone = 0
	handle, err := windows.CreateFile(name, windows.GENERIC_READ, alone, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		return errors.Is(err, windows.ERROR_SHARING_VIOLATION)
	}
	_ = windows.CloseHandle(handle)
	return false
}

// checkReadOnly returns a *BlockedError if a file exists and has the read-only attribute: Windows does not replace it,
// and the user wants that.
func checkReadOnly(path string) error {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o200 != 0 {
		return nil //nolint:nilerr // the operation itself tells what is wrong with the path
	}
	remove := shell.Hint("attrib -R FILE", shell.Values{"FILE": path})
	return &BlockedError{Text: path + " is read-only and cannot be replaced: to allow that, run: " + remove}
}
