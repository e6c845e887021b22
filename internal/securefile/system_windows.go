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

// MoveCommand is the command that renames a file out of the way.
func MoveCommand(path string) string {
	const move = "move FILE FILE.bad"    // both cmd and PowerShell know it
	if strings.ContainsAny(path, "[]") { // to PowerShell a pattern of names
		return move
	}
	path = filepath.FromSlash(path) // to cmd a slash begins an option
	return shell.Hint(move, shell.Values{"FILE": path, "FILE.bad": path + ".bad"})
}

// ReadableCommand is the command that lets the user read a file of their own. It takes the rights of others away.
func ReadableCommand(path string) string { return restrictCommand(path, false) }

// restrictCommand is the command that gives a file or folder the access list that payctl gives what it creates. cmd and
// PowerShell read it alike. SIDs have the same form on systems of all languages.
func restrictCommand(path string, folder bool) string {
	user := accountName()
	if folder {
		return shell.Hint(`icacls FILE /inheritance:r /grant:r USER:F "*S-1-5-18:(OI)(CI)F" "*S-1-5-32-544:(OI)(CI)F" `+
			`/remove:g "*S-1-1-0" "*S-1-5-11" "*S-1-5-32-545"`, shell.Values{"FILE": path, "USER:F": user + ":(OI)(CI)F"})
	}
	return shell.Hint(`icacls FILE /inheritance:r /grant:r USER:F "*S-1-5-18:F" "*S-1-5-32-544:F" `+
		`/remove:g "*S-1-1-0" "*S-1-5-11" "*S-1-5-32-545"`, shell.Values{"FILE": path, "USER:F": user + ":F"})
}

// accountName is the name of the user with the machine or domain, such as OFFICE\ada.
func accountName() string {
	name := make([]uint16, 512)
	size := uint32(len(name))
	if windows.GetUserNameEx(windows.NameSamCompatible, &name[0], &size) != nil {
		return "USER"
	}
	return windows.UTF16ToString(name)
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
