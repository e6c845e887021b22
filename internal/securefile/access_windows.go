package securefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// privateList is the access list of what payctl creates, as a security descriptor: the user, SYSTEM and the
// administrators have all rights, also to what is created in a folder, and nothing is inherited from the folder above.
func privateList() (*windows.SECURITY_DESCRIPTOR, error) {
	user, err := currentUser()
	if err != nil {
		return nil, err
	}
	return windows.SecurityDescriptorFromString("D:P(A;OICI;FA;;;" + user + ")(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)")
}

// currentUser returns the identifier (SID) of the user of this process.
func currentUser() (string, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return "", err
	}
	return user.User.Sid.String(), nil
}

// privately returns attributes with the access list of what payctl creates, and a path as Windows takes it.
func privately(path string) (*windows.SecurityAttributes, *uint16, error) {
	list, err := privateList()
	if err != nil {
		return nil, nil, err
	}
	attributes := &windows.SecurityAttributes{SecurityDescriptor: list}
	attributes.Length = uint32(unsafe.Sizeof(*attributes))
	name, err := windows.UTF16PtrFromString(path)
	return attributes, name, err
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

// createFolder creates a private folder.
func createFolder(path string) error {
	attributes, name, err := privately(path)
	if err != nil {
		return err
	}
	if err := windows.CreateDirectory(name, attributes); err != nil {
		return &fs.PathError{Op: "mkdir", Path: path, Err: err}
	}
	return nil
}

// CreateFolders creates a private folder and those above it where they do not exist.
func CreateFolders(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: path, Err: windows.ERROR_DIRECTORY}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if above := filepath.Dir(path); above != path {
		if err := CreateFolders(above); err != nil {
			return err
		}
	}
	if err := createFolder(path); !errors.Is(err, fs.ErrExist) { // another process may have been faster
		return err
	}
	return nil
}

// Rights to a file or folder. Those to attributes are left out: they tell and change nothing that matters.
const (
	mayRead = windows.FILE_READ_DATA | windows.GENERIC_READ | windows.GENERIC_ALL
	// mayWrite includes the rights to remove or replace what is in a folder, and to give oneself such a right. The first is
	// FILE_DELETE_CHILD, which package windows does not have.
	mayWrite = 0x40 | windows.DELETE | windows.WRITE_DAC | windows.WRITE_OWNER | windows.GENERIC_ALL |
		windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | windows.GENERIC_WRITE
)

const everyone = "S-1-1-0"

// isTrusted reports whether a right of a SID gives nothing to others than the user and the administrators.
func isTrusted(sid, user string) bool {
	switch sid {
	case user,
		"S-1-5-18",     // SYSTEM
		"S-1-5-32-544", // the administrators
		"S-1-3-0",      // the creator of what is in a folder
		"S-1-3-4",      // the owner
		"S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464": // TrustedInstaller, which owns C:\
		return true
	}
	if strings.HasPrefix(sid, "S-1-5-21-") { // the administrator, those of the domain and the forest
		return slices.Contains([]string{"500", "512", "519"}, sid[strings.LastIndexByte(sid, '-')+1:])
	}
	// A session of the user; and apps in a container, which need a right of the user too.
	return strings.HasPrefix(sid, "S-1-5-5-") || strings.HasPrefix(sid, "S-1-15-")
}

// An otherUser is a user or group, besides the trusted ones, that has rights to a file or folder.
type otherUser struct {
	sid    string
	rights windows.ACCESS_MASK
}

// othersIn lists who else than the user and the administrators has rights by the access list of a security descriptor;
// with inherited, also rights to what will be created in the folder. Its owner is among them with all rights, unless it is
// trusted.
func othersIn(list *windows.SECURITY_DESCRIPTOR, user string, inherited bool) (others []otherUser, err error) {
	owner, _, err := list.Owner()
	if err == nil && owner != nil && !isTrusted(owner.String(), user) {
		others = append(others, otherUser{owner.String(), windows.GENERIC_ALL})
	}
	entries, _, err := list.DACL()
	if errors.Is(err, windows.ERROR_OBJECT_NOT_FOUND) || err == nil && entries == nil { // there is no list
		return append(others, otherUser{everyone, windows.GENERIC_ALL}), nil
	}
	if err != nil {
		return nil, err
	}
	denied := map[string]windows.ACCESS_MASK{}
	for i := range uint32(entries.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(entries, i, &entry); err != nil {
			return nil, err
		}
		if entry.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0 && !inherited {
			continue
		}
		const allowedWithCondition = 9                                  // ACCESS_ALLOWED_CALLBACK_ACE_TYPE: the condition may be true
		sid := (*windows.SID)(unsafe.Pointer(&entry.SidStart)).String() //nolint:gosec // as Microsoft documents SidStart
		switch entry.Header.AceType {
		case windows.ACCESS_DENIED_ACE_TYPE:
			denied[sid] |= entry.Mask
		case windows.ACCESS_ALLOWED_ACE_TYPE, allowedWithCondition:
			rights := entry.Mask &^ (denied[sid] | denied[everyone])
			if !isTrusted(sid, user) && rights != 0 {
				others = append(others, otherUser{sid, rights})
			}
		}
	}
	return others, nil
}

// nameOf returns the name of a group that every system has. A user or group of a domain or of Microsoft Entra (S-1-12) stays a
// SID, since its name may have to be asked for in the network, without a deadline.
func nameOf(sid string) string {
	parsed, err := windows.StringToSid(sid)
	if err != nil || strings.HasPrefix(sid, "S-1-5-21-") || strings.HasPrefix(sid, "S-1-12-") {
		return sid
	}
	account, _, _, err := parsed.LookupAccount("")
	if err != nil || account == "" {
		return sid
	}
	return account
}

// CheckPrivate returns an *Error if a file or folder gives rights to other users than this one and the administrators:
// to read or to change it or, for what may be public, to change it.
func CheckPrivate(place Place) error {
	user, err := currentUser()
	if err != nil {
		return err
	}
	const parts = windows.OWNER_SECURITY_INFORMATION | windows.DACL_SECURITY_INFORMATION
	list, err := windows.GetNamedSecurityInfo(place.Path, windows.SE_FILE_OBJECT, parts)
	if err != nil {
		return &fs.PathError{Op: "read the access list of", Path: place.Path, Err: err}
	}
	others, err := othersIn(list, user, place.Folder)
	if err != nil {
		return err
	}
	var readers, writers []string
	for _, other := range others {
		switch name := nameOf(other.sid); {
		case other.rights&mayWrite != 0 && !slices.Contains(writers, name):
			writers = append(writers, name)
		case other.rights&mayRead != 0 && !place.Public && !slices.Contains(readers, name):
			readers = append(readers, name)
		}
	}
	const next = "take these rights away in its properties, on the page Security"
	switch {
	case len(writers) > 0:
		reason := place.Path + " can be read or changed by others than you: " + strings.Join(append(writers, readers...), ", ")
		return &Error{Reason: reason, Next: next}
	case len(readers) > 0:
		return &Error{Reason: place.Path + " can be read by others than you: " + strings.Join(readers, ", "), Next: next}
	}
	return nil
}

// CheckAbove finds nothing: the access lists of the folders above are those of the system or of the user.
func CheckAbove(string, string) error { return nil }

// CheckMode returns an *Error if other users can do with a file what the forbidden bits of a mode stand for. It is for a
// warning about a file that the user names.
func CheckMode(path string, forbidden fs.FileMode, _ string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	return CheckPrivate(Place{Path: path, Public: forbidden&0o044 == 0})
}
