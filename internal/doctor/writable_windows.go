package doctor

import (
	"errors"

	"golang.org/x/sys/windows"
)

// mayWrite reports whether the user may write to a file, or create files in a folder: it opens the file or folder with
// that right, which changes nothing. A file that another program has open counts as writable.
func mayWrite(path string) bool {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return false
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	const right = windows.FILE_WRITE_DATA // for a folder the same bit is FILE_ADD_FILE
	handle, err := windows.CreateFile(name, right, share, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return !errors.Is(err, windows.ERROR_ACCESS_DENIED) && !errors.Is(err, windows.ERROR_WRITE_PROTECT)
	}
	_ = windows.CloseHandle(handle)
	return true
}
