package securefile

import (
	"errors"
	"fmt"
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
	// mayTakeAway are the rights to remove or replace what is in a folder, or to give oneself such a right. The first is
	// FILE_DELETE_CHILD, which package windows does not have.
	mayTakeAway = 0x40 | windows.DELETE | windows.WRITE_DAC | windows.WRITE_OWNER | windows.GENERIC_ALL
	mayWrite    = mayTakeAway | windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | windows.GENERIC_WRITE
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
	if domain, account, found := cutLast(sid, "-"); found && strings.HasPrefix(domain, "S-1-5-21-") {
		return account == "500" || account == "512" || account == "519" // the administrator, those of the domain and the forest
	}
	// A session of the user; and apps in a container, which need a right of the user too.
	return strings.HasPrefix(sid, "S-1-5-5-") || strings.HasPrefix(sid, "S-1-15-")
}

func cutLast(text, separator string) (before, after string, found bool) {
	at := strings.LastIndex(text, separator)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+len(separator):], true
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

// othersOf is othersIn for the access list of a file or folder.
func othersOf(path string, inherited bool) ([]otherUser, error) {
	user, err := currentUser()
	if err != nil {
		return nil, err
	}
	const parts = windows.OWNER_SECURITY_INFORMATION | windows.DACL_SECURITY_INFORMATION
	list, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, parts)
	if err != nil {
		return nil, &fs.PathError{Op: "read the access list of", Path: path, Err: err}
	}
	return othersIn(list, user, inherited)
}

// names returns the users and groups that have any of some rights, as people know them, and their SIDs.
func names(others []otherUser, rights windows.ACCESS_MASK) (text string, sids []string) {
	var list []string
	for _, other := range others {
		if other.rights&rights != 0 && !slices.Contains(sids, other.sid) {
			sids = append(sids, other.sid)
			list = append(list, nameOf(other.sid))
		}
	}
	return strings.Join(list, ", "), sids
}

// nameOf returns the name of a group that every system has. A user or group of a domain or of Microsoft Entra (S-1-12) stays a
// SID, since its name may have to be asked for in the network, without a deadline.
func nameOf(sid string) string {
	if strings.HasPrefix(sid, "S-1-5-21-") || strings.HasPrefix(sid, "S-1-12-") {
		return sid
	}
	parsed, err := windows.StringToSid(sid)
	if err != nil {
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
	rights := windows.ACCESS_MASK(mayWrite)
	if !place.Public {
		rights |= mayRead
	}
	return checkRights(place.Path, place.Folder, rights)
}

// CheckAbove returns an *Error if other users can take away what is in a folder.
func CheckAbove(folder, path string) error {
	others, err := othersOf(folder, false)
	if err != nil {
		return err
	}
	who, sids := names(others, mayTakeAway)
	if len(sids) == 0 {
		return nil
	}
	return &Error{
		Reason: fmt.Sprintf("%s can take %s away, since they may change %s", who, path, folder),
		Next:   "keep the files in a folder of your own (PAYCTL_CONFIG_DIR, PAYCTL_STATE_DIR)",
	}
}

// CheckMode returns an *Error if other users can do with a file what the forbidden bits of a mode stand for. It is for a
// warning about a file that the user names.
func CheckMode(path string, forbidden fs.FileMode, _ string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	rights := windows.ACCESS_MASK(mayWrite)
	if forbidden&0o044 != 0 {
		rights |= mayRead
	}
	return checkRights(path, false, rights)
}

func checkRights(path string, folder bool, rights windows.ACCESS_MASK) error {
	others, err := othersOf(path, folder)
	if err != nil {
		return err
	}
	who, sids := names(others, rights)
	if len(sids) == 0 {
		return nil
	}
	verb := "read"
	if _, writers := names(others, mayWrite); len(writers) > 0 {
		verb = "read or changed"
	}
	found := &Error{
		Reason: fmt.Sprintf("%s can be %s by others than you: %s", path, verb, who),
		Next:   "take these rights away in its properties, on the page Security",
	}
	if !slices.ContainsFunc(sids, func(sid string) bool { return !slices.Contains(groups, sid) }) {
		found.Fix = restrictCommand(path, folder)
		found.Next = "run: " + restrictCommand(path, folder)
	}
	return found
}

// groups are those that have rights by the default lists of folders: everyone, those who have signed in, and all users.
// restrictCommand takes the rights of no other group away that are not inherited.
var groups = []string{everyone, "S-1-5-11", "S-1-5-32-545"}
