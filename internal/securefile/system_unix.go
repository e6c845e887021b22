//go:build unix

package securefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"github.com/payctl/payctl/internal/shell"
)

// openFlags refuse a symbolic link as the last element, and do not wait for the other end of a pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// openFlagsFollow are the flags for a path that may be a symbolic link.
const openFlagsFollow = syscall.O_NONBLOCK

// checkOwner returns an *Error if a file belongs to another user or has any of the forbidden mode bits. mode is the
// mode that the error proposes. With rootMay the file may belong to the administrator.
func checkOwner(path string, info fs.FileInfo, forbidden fs.FileMode, mode string, rootMay bool) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() && !(rootMay && st.Uid == 0) {
		return &Error{
			Reason: fmt.Sprintf("%s belongs to user %d, this process is user %d", path, st.Uid, os.Geteuid()),
			Next: shell.Hint{
				Command: []string{"chown", strconv.Itoa(os.Geteuid()), "--", path},
				Note:    "look at its content first; or run payctl as that user",
			},
		}
	}
	if info.Mode().Type() != fs.ModeSymlink && info.Mode().Perm()&forbidden != 0 {
		reason := fmt.Sprintf("%s has mode %04o, which gives rights to group or others", path, info.Mode().Perm())
		return &Error{Reason: reason, Next: chmod(mode, path)}
	}
	return nil
}

// CheckPrivate returns an *Error if other users can read a file that is not public. rule.Check covers who can write
// to it.
func CheckPrivate(rule FileRule) error {
	info, err := os.Lstat(rule.Path)
	if err != nil || rule.Public || info.Mode().Perm()&groupAndOthers == 0 {
		return err
	}
	return readableByOthers(rule.Path, info)
}

// CheckSecret returns an *Error if the group or others can read or change the file at path. It follows symbolic links.
// The group may read a file of the administrator, since that is how administrators share secrets.
func CheckSecret(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil //nolint:nilerr // reading it says why
	}
	forbidden := groupAndOthers
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid == 0 && os.Geteuid() != 0 {
		forbidden &^= 0o040
	}
	if info.Mode().Perm()&forbidden == 0 {
		return nil
	}
	return readableByOthers(path, info)
}

func readableByOthers(path string, info fs.FileInfo) error {
	reason := fmt.Sprintf("%s can be read by others (mode %04o)", path, info.Mode().Perm())
	return &Error{Reason: reason, Next: chmod("go=", path)}
}

func chmod(mode, path string) shell.Hint {
	return shell.Hint{Command: []string{"chmod", mode, "--", path}}
}

// SyncFolder makes the renames and removals in a folder survive a power cut.
func SyncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil // this file system does not sync folders
	}
	return errors.Join(err, folder.Close())
}

// CreateNew creates a file that only the user can read, and opens it for reading and writing. It fails if path exists.
func CreateNew(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|openFlags, 0o600)
}

func createFolders(path string) error { return os.MkdirAll(path, 0o700) }

// isBusy is always false: Unix can replace and remove an open file.
func isBusy(error) (busy, held bool) { return false, false }

// Move is the hint to rename a file.
func Move(path string) shell.Hint {
	return shell.Hint{Command: []string{"mv", "--", path, path + ".bad"}}
}
