package securefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/payctl/payctl/internal/shell"
)

// There are no such flags here: this system knows neither O_NOFOLLOW nor O_NONBLOCK.
const openFlags, openFlagsFollow = 0, 0

// checkOwner refuses nothing: which of the groups in an access list are the user's own cannot be told, and folders at the
// top of a drive let every user write by default. payctl gives what it creates an access list of its own, and the doctor
// warns of what others can read or change ([CheckPrivate]).
func checkOwner(string, fs.FileInfo, fs.FileMode, string, bool) error { return nil }

// CheckSecret refuses nothing, as checkOwner.
func CheckSecret(string) error { return nil }

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

// Move is the command that renames a file out of the way. Both cmd and PowerShell know it.
func Move(path string) shell.Hint {
	path = filepath.FromSlash(path) // to cmd a slash begins an option
	return shell.Hint{Command: []string{"move", path, path + ".bad"}}
}

// privately returns attributes with the access list of what payctl creates, and a path as Windows takes it. The user,
// SYSTEM and the administrators have all rights, also to what is created in a folder, and nothing is inherited from the
// folder above.
func privately(path string) (*windows.SecurityAttributes, *uint16, error) {
	user, err := currentUser()
	if err != nil {
		return nil, nil, err
	}
	list, err := windows.SecurityDescriptorFromString("D:P(A;OICI;FA;;;" + user + ")(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)")
	if err != nil {
		return nil, nil, err
	}
	attributes := &windows.SecurityAttributes{SecurityDescriptor: list}
	attributes.Length = uint32(unsafe.Sizeof(*attributes))
	name, err := windows.UTF16PtrFromString(path)
	return attributes, name, err
}

// currentUser returns the identifier (SID) of the user of this process.
func currentUser() (string, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return "", err
	}
	return user.User.Sid.String(), nil
}

// CreateNew creates a private file at a path where nothing is, and opens it for reading and writing. It does not use
// [os.OpenFile], which gives a file the access list of its folder.
func CreateNew(path string) (*os.File, error) {
	attributes, name, err := privately(path)
	if err != nil {
		return nil, err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	handle, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, share, attributes,
		windows.CREATE_NEW, windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

// createFolders creates a private folder and those above it where they do not exist.
func createFolders(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: path, Err: windows.ERROR_DIRECTORY}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if above := filepath.Dir(path); above != path {
		if err := createFolders(above); err != nil {
			return err
		}
	}
	attributes, name, err := privately(path)
	if err != nil {
		return err
	}
	if err := windows.CreateDirectory(name, attributes); err != nil && !errors.Is(err, fs.ErrExist) {
		return &fs.PathError{Op: "mkdir", Path: path, Err: err} // otherwise another process was faster
	}
	return nil
}

// mayWrite are the rights to change a file or folder, to remove or replace what is in a folder (0x40 is FILE_DELETE_CHILD,
// which package windows does not have), and to give oneself such a right.
const mayWrite = 0x40 | windows.DELETE | windows.WRITE_DAC | windows.WRITE_OWNER | windows.GENERIC_ALL |
	windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | windows.GENERIC_WRITE

// isTrusted reports whether a right of a SID gives nothing to others than the user and the administrators.
func isTrusted(sid, user string) bool {
	return slices.Contains([]string{
		user,
		"S-1-5-18",     // SYSTEM
		"S-1-5-32-544", // the administrators
		"S-1-3-0",      // the creator of what is in a folder
		"S-1-3-4",      // the owner
		"S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464", // TrustedInstaller, which owns C:\
	}, sid)
}

// CheckPrivate returns an *Error if the access list of a file or folder gives others than this user and the
// administrators the right to change it or, unless it may be public, any right.
func CheckPrivate(place Place) error {
	user, err := currentUser()
	if err != nil {
		return err
	}
	list, err := windows.GetNamedSecurityInfo(place.Path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return &fs.PathError{Op: "read the access list of", Path: place.Path, Err: err}
	}
	others, err := othersIn(list, user, place.Public)
	if err != nil || len(others) == 0 {
		return err
	}
	return &Error{
		Reason: place.Path + " can be read or changed by others than you: " + strings.Join(others, ", "),
		Next:   shell.Note("take these rights away in its properties, on the page Security"),
	}
}

// othersIn lists the SIDs of whom [CheckPrivate] reports. Entries that deny a right are not counted.
func othersIn(list *windows.SECURITY_DESCRIPTOR, user string, public bool) (others []string, err error) {
	entries, _, err := list.DACL()
	if errors.Is(err, windows.ERROR_OBJECT_NOT_FOUND) || err == nil && entries == nil { // there is no list
		return []string{"everyone"}, nil
	}
	if err != nil {
		return nil, err
	}
	for i := range uint32(entries.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(entries, i, &entry); err != nil {
			return nil, err
		}
		sid := (*windows.SID)(unsafe.Pointer(&entry.SidStart)).String() //nolint:gosec // as Microsoft documents SidStart
		isRight := entry.Header.AceType == windows.ACCESS_ALLOWED_ACE_TYPE && (!public || entry.Mask&mayWrite != 0)
		if isRight && !isTrusted(sid, user) && !slices.Contains(others, sid) {
			others = append(others, sid)
		}
	}
	return others, nil
}
