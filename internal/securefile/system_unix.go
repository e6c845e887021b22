//go:build unix

package securefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/payctl/payctl/internal/shell"
)

// OpenFlags make an open fail at a symbolic link as the last element, and not wait for the other end of a pipe.
const OpenFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// openFlagsFollow are OpenFlags for a path whose links are followed.
const openFlagsFollow = syscall.O_NONBLOCK

// checkOwner returns an *Error if a file belongs to another user or has any of the forbidden mode bits. The error
// proposes the mode mode.
func checkOwner(path string, info fs.FileInfo, forbidden fs.FileMode, mode string) error {
	if owner, foreign := foreignOwner(info); foreign {
		chown := chownCommand(path)
		next := "run payctl as that user, or have the owner changed: " + chown
		return &Error{Reason: ownerReason(path, owner), Next: next, Fix: "sudo " + chown}
	}
	if info.Mode().Perm()&forbidden != 0 {
		reason := fmt.Sprintf("%s has mode %04o, which gives rights to group or others", path, info.Mode().Perm())
		chmod := chmodCommand(mode, path)
		return &Error{Reason: reason, Next: "run: " + chmod, Fix: chmod}
	}
	return nil
}

// checkTrustedOwner returns an *Error if another user than this one and the administrator owns a file or can write to
// it. Others may read it.
func checkTrustedOwner(path string, info fs.FileInfo) error {
	if owner, foreign := foreignOwner(info); foreign && owner != 0 {
		next := "read it and then run: " + chownCommand(path) + "   (or remove it)"
		return &Error{Reason: ownerReason(path, owner), Next: next}
	}
	if info.Mode().Type() != fs.ModeSymlink && info.Mode().Perm()&GroupAndOthersWrite != 0 {
		reason := fmt.Sprintf("%s has mode %04o, which lets others change it", path, info.Mode().Perm())
		chmod := chmodCommand("go-w", path)
		return &Error{Reason: reason, Next: "check its content, then run: " + chmod, Fix: chmod}
	}
	return nil
}

// CheckMode returns an *Error if a regular file has any of the forbidden mode bits; change is what chmod has to do about
// it. Symbolic links are followed. It is for a warning about a file that the user names.
func CheckMode(path string, forbidden fs.FileMode, change string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&forbidden == 0 {
		return err
	}
	reason := fmt.Sprintf("%s has mode %04o", path, info.Mode().Perm())
	chmod := chmodCommand(change, path)
	return &Error{Reason: reason, Next: "run: " + chmod, Fix: chmod}
}

// foreignOwner returns the owner of a file, and reports whether that is another user than this process's.
func foreignOwner(info fs.FileInfo) (owner uint32, foreign bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return st.Uid, int(st.Uid) != os.Geteuid()
}

func ownerReason(path string, owner uint32) string {
	return fmt.Sprintf("%s belongs to user %d, this process is user %d", path, owner, os.Geteuid())
}

// chownCommand is the command that makes a file belong to the user.
func chownCommand(path string) string {
	return shell.Hint(`chown "$(id -u)" -- FILE`, shell.Values{"FILE": path})
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

// CreateNew creates a file that only the user can read, at a path where nothing is, and opens it for reading and writing.
func CreateNew(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|OpenFlags, 0o600)
}

// CreateFolders creates a folder and those above it with mode 0700 where they do not exist.
func CreateFolders(path string) error { return os.MkdirAll(path, 0o700) }

// CheckPrivate returns an *Error if others than the user can read what is not public. Whether they can change it is the
// place's own check.
func CheckPrivate(place Place) error {
	info, err := os.Lstat(place.Path)
	if err != nil || place.Public || info.Mode().Perm()&GroupAndOthers == 0 {
		return err
	}
	mode := "600"
	if place.Folder {
		mode = "700"
	}
	chmod := chmodCommand(mode, place.Path)
	reason := fmt.Sprintf("%s can be read by others than you (mode %04o)", place.Path, info.Mode().Perm())
	return &Error{Reason: reason, Next: "run: " + chmod, Fix: chmod}
}

// CheckAbove returns an *Error if everybody can take away the path, which is in a folder.
func CheckAbove(folder, path string) error {
	const othersWrite fs.FileMode = 0o002
	info, err := os.Stat(folder)
	if err != nil || info.Mode().Perm()&othersWrite == 0 || info.Mode()&fs.ModeSticky != 0 {
		return err
	}
	chmod := chmodCommand("o-w", folder)
	reason := fmt.Sprintf("Everybody can write to %s (mode %04o), and so take %s away", folder, info.Mode().Perm(), path)
	return &Error{Reason: reason, Next: "run: " + chmod, Fix: chmod}
}

// isBusy is always false: an open file can be replaced and removed here.
func isBusy(error) (busy, held bool) { return false, false }

// checkReadOnly finds nothing: whether a file can be replaced depends on its folder alone here.
func checkReadOnly(string) error { return nil }

// MoveCommand is the command that renames a file out of the way.
func MoveCommand(path string) string {
	return shell.Hint("mv -- FILE FILE.bad", shell.Values{"FILE": path, "FILE.bad": path + ".bad"})
}

// ReadableCommand is the command that lets the user read a file of their own.
func ReadableCommand(path string) string { return chmodCommand("u+r", path) }

// chmodCommand is the command that gives a file a mode.
func chmodCommand(mode, path string) string {
	return shell.Hint("chmod MODE -- FILE", shell.Values{"MODE": mode, "FILE": path})
}

// CheckName has nothing to check: here each name is that of a file or folder.
func CheckName(string) error { return nil }
