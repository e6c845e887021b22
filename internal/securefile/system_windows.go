package securefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"

	"github.com/payctl/payctl/internal/shell"
)

// OpenFlags has no flags here: this system knows neither O_NOFOLLOW nor O_NONBLOCK.
const OpenFlags = 0

const openFlagsFollow = 0

// checkOwner refuses nothing: which of the groups in an access list are the user's own cannot be told, and folders at the
// top of a drive let every user write by default. payctl gives what it creates an access list of its own, and the doctor
// warns of what others can read or change ([CheckPrivate]).
func checkOwner(string, fs.FileInfo, fs.FileMode, string) error { return nil }

// checkTrustedOwner refuses nothing, for the same reason.
func checkTrustedOwner(string, fs.FileInfo) error { return nil }

// SyncFolder has nothing to do: folders cannot be synced here. Windows keeps renames in the journal of its file system,
// from which it takes all or nothing of them.
func SyncFolder(string) error { return nil }

// isBusy reports whether an error may go away by itself, and whether another program certainly has the file open. "Access
// is denied" is ambiguous: it is also the error for a file that is to vanish when the last program closes it.
func isBusy(err error) (busy, held bool) {
	code, _ := errors.AsType[syscall.Errno](err)
	switch code {
	case windows.ERROR_ACCESS_DENIED, windows.ERROR_DELETE_PENDING:
		return true, false
	case windows.ERROR_SHARING_VIOLATION, windows.ERROR_LOCK_VIOLATION, windows.ERROR_USER_MAPPED_FILE:
		return true, true
	}
	return false, false
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

// MoveCommand is the command that renames a file out of the way.
func MoveCommand(path string) string {
	const move = "move FILE FILE.bad"    // both cmd and PowerShell know it
	if strings.ContainsAny(path, "[]") { // to PowerShell a pattern of names
		return move
	}
	path = filepath.FromSlash(path) // to cmd a slash begins an option
	return shell.Hint(move, shell.Values{"FILE": path, "FILE.bad": path + ".bad"})
}

// ReadableCommand is the command that lets the user read a file of their own. It takes the rights of others away. cmd and
// PowerShell read it alike, and SIDs have the same form on systems of all languages.
func ReadableCommand(path string) string {
	name := make([]uint16, 512)
	size := uint32(len(name))
	user := "USER"
	if windows.GetUserNameEx(windows.NameSamCompatible, &name[0], &size) == nil {
		user = windows.UTF16ToString(name) // such as OFFICE\ada
	}
	return shell.Hint(`icacls FILE /inheritance:r /grant:r USER:F "*S-1-5-18:F" "*S-1-5-32-544:F"`,
		shell.Values{"FILE": path, "USER:F": user + ":F"})
}

// CheckName returns an *Error if the name of a file or folder, where one is to be created, means something else to Windows:
// a device, such as com1, and before Windows 11 nul.csv too; a stream next to the content of a file, such as
// report.csv:part, which most programs do not show; or nothing, because of a quotation mark.
func CheckName(path string) error {
	const next = "name another file or folder"
	if strings.Contains(path, `"`) {
		return &Error{
			Reason: path + " has a quotation mark, which no name has on Windows",
			Next: `leave out a \ before the quotation mark that ends a path: it hides that mark, and what follows becomes ` +
				"part of the path",
		}
	}
	full, err := filepath.Abs(path) // of a device it is \\.\ and its name; which names these are, Windows knows
	if err != nil {
		return err
	}
	if device, is := strings.CutPrefix(full, `\\.\`); is {
		return &Error{Reason: path + " is the name of the device " + strings.TrimRight(device, `\`) + " on Windows", Next: next}
	}
	if file, stream, is := strings.Cut(full[len(filepath.VolumeName(full)):], ":"); is {
		name := filepath.Base(file)
		return &Error{Reason: path + " is the stream " + stream + " of the file " + name + " on Windows", Next: next}
	}
	return nil
}
