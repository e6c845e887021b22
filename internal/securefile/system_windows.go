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

// Windows has neither O_NOFOLLOW nor O_NONBLOCK.
const openFlags, openFlagsFollow = 0, 0

// checkOwner refuses nothing: payctl cannot tell the user's own groups in an access list, and by default every user
// can write to folders at the top of a drive. Instead payctl creates files with its own access list, and the doctor
// warns of files that others can read or change ([CheckPrivate]).
func checkOwner(string, fs.FileInfo, fs.FileMode, string, bool) error { return nil }

// CheckSecret refuses nothing, like checkOwner.
func CheckSecret(string) error { return nil }

// SyncFolder does nothing: Windows cannot sync a folder. Its file system's journal makes renames atomic.
func SyncFolder(string) error { return nil }

// isBusy reports whether the operation may succeed later, and whether another program certainly has the file open.
// "Access is denied" is ambiguous: Windows also reports it for a file that vanishes when the last program closes it.
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

// Move is the hint to rename a file, in cmd and in PowerShell.
func Move(path string) shell.Hint {
	path = filepath.FromSlash(path) // to cmd a slash begins an option
	return shell.Hint{Command: []string{"move", path, path + ".bad"}}
}

// privateAttributes returns the access list of new files and folders, and the path for calls of Windows. The user,
// SYSTEM and the administrators have all rights. The contents of a new folder inherit them; nothing is inherited from
// above.
func privateAttributes(path string) (*windows.SecurityAttributes, *uint16, error) {
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

// CreateNew creates a private file, and opens it for reading and writing. It fails if path exists. It does not use
// [os.OpenFile], which gives a file the access list of its folder.
func CreateNew(path string) (*os.File, error) {
	attributes, name, err := privateAttributes(path)
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

// createFolders creates the missing folders of a path, as private ones.
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
	attributes, name, err := privateAttributes(path)
	if err != nil {
		return err
	}
	if err := windows.CreateDirectory(name, attributes); err != nil && !errors.Is(err, fs.ErrExist) {
		return &fs.PathError{Op: "mkdir", Path: path, Err: err} // otherwise another process was faster
	}
	return nil
}

// fileDeleteChild is FILE_DELETE_CHILD, which package windows lacks: the right to remove the contents of a folder.
const fileDeleteChild = 0x40

// writeRights are the rights to change a file or folder, or to give oneself such a right.
const writeRights = fileDeleteChild | windows.DELETE | windows.WRITE_DAC | windows.WRITE_OWNER | windows.GENERIC_ALL |
	windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | windows.GENERIC_WRITE

// isTrusted reports whether only the user and the administrators can act as a SID.
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

// CheckPrivate returns an *Error if others than this user and the administrators have rights to a file or folder.
// If it is public, only the rights to change it count.
func CheckPrivate(rule FileRule) error {
	user, err := currentUser()
	if err != nil {
		return err
	}
	list, err := windows.GetNamedSecurityInfo(rule.Path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return &fs.PathError{Op: "read the access list of", Path: rule.Path, Err: err}
	}
	others, err := othersIn(list, user, rule.Public)
	if err != nil || len(others) == 0 {
		return err
	}
	return &Error{
		Reason: rule.Path + " can be read or changed by others: " + strings.Join(others, ", "),
		Next:   shell.Note("take these rights away in its properties, on the page Security"),
	}
}

// othersIn lists the SIDs that [CheckPrivate] reports. It ignores entries that deny a right.
func othersIn(list *windows.SECURITY_DESCRIPTOR, user string, public bool) (others []string, err error) {
	entries, _, err := list.DACL()
	if errors.Is(err, windows.ERROR_OBJECT_NOT_FOUND) || err == nil && entries == nil { // no list
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
		isRight := entry.Header.AceType == windows.ACCESS_ALLOWED_ACE_TYPE && (!public || entry.Mask&writeRights != 0)
		if isRight && !isTrusted(sid, user) && !slices.Contains(others, sid) {
			others = append(others, sid)
		}
	}
	return others, nil
}
