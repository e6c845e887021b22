// Package securefile opens and writes files only if they are regular, owned by the user and not writable by others.
package securefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/payctl/payctl/internal/shell"
)

// An Error is the reason why a file or folder is not safe to use, or cannot be used now.
type Error struct {
	Reason string
	Next   shell.Hint // what the user can do about it
}

// Error implements error.
func (e *Error) Error() string { return e.Reason }

// Bits of a mode that a file or folder may not have.
const (
	groupAndOthers      fs.FileMode = 0o077 // any right of the group or of others
	groupAndOthersWrite fs.FileMode = 0o022 // the right of the group or of others to write
)

// A FileRule says what a file or folder of payctl must be like.
type FileRule struct {
	Path string
	// Public reports whether others may read it.
	Public bool
	// Check returns an *Error if the file breaks the rule, and an error that matches [fs.ErrNotExist] if there is none.
	Check func() error
}

// RuleForFile is the rule of [CheckFile].
func RuleForFile(path string) FileRule {
	return FileRule{Path: path, Check: func() error { return CheckFile(path) }}
}

// RuleForFolder is the rule of [CheckFolder].
func RuleForFolder(path string, public bool) FileRule {
	return FileRule{Path: path, Public: public, Check: func() error { return CheckFolder(path) }}
}

// CheckName returns an *Error if Windows would not create a plain file or folder of this name. com1 is a device, and
// report.csv:part is a stream inside report.csv, which most programs do not show.
func CheckName(path string) error {
	if base := filepath.Base(path); runtime.GOOS == "windows" && base != ".." && !filepath.IsLocal(base) {
		return &Error{Reason: path + " is not a file name on Windows", Next: shell.Note("name another file or folder")}
	}
	return nil
}

// CheckFile returns an *Error unless path is a regular file that the user owns and that nobody else has rights to.
// A symbolic link is not followed.
func CheckFile(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	return checkFile(path, info)
}

func checkFile(path string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, _ := os.Readlink(path) // empty if it has just gone
		return &Error{
			Reason: fmt.Sprintf("%s is a symbolic link to %s, which payctl does not follow here", path, target),
			Next:   shell.Note("put the file itself in its place"),
		}
	case !info.Mode().IsRegular():
		return &Error{Reason: path + " is not a regular file", Next: Move(path)}
	}
	return checkOwner(path, info, groupAndOthers, "600", false)
}

// CheckFolder returns an *Error unless path is a folder that the user owns and no other user can write to.
// Whoever can write to a folder can replace the files in it. A symbolic link is not followed.
// The error matches [fs.ErrNotExist] if there is no such folder.
func CheckFolder(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return &Error{
			Reason: path + " is a symbolic link, and payctl does not write through links",
			Next: shell.Note("name the folder itself (with PAYCTL_CONFIG_DIR, PAYCTL_STATE_DIR or --data), " +
				"or replace the link by a folder"),
		}
	case !info.IsDir():
		return &Error{Reason: path + " is not a folder", Next: Move(path)}
	}
	return checkOwner(path, info, groupAndOthersWrite, "700", false)
}

// MakeFolder applies [CheckName], creates the missing folders of a path, and applies [CheckFolder].
// Only the user can enter the new folders: they have mode 0700. On Windows they have an access list for the user,
// SYSTEM and the administrators.
func MakeFolder(path string) error {
	if err := CheckName(path); err != nil {
		return err
	}
	if err := createFolders(path); err != nil {
		return err
	}
	return CheckFolder(path)
}

// OpenFile opens a file that passes [CheckFile], in a folder that passes [CheckFolder]. With os.O_CREATE it creates a
// missing file, which only the user can read, and opens it for reading and writing.
func OpenFile(path string, flag int) (*os.File, error) {
	if err := CheckFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	err := CheckFile(path)
	if flag&os.O_CREATE != 0 && errors.Is(err, fs.ErrNotExist) {
		file, err := CreateNew(path)
		if !errors.Is(err, fs.ErrExist) { // otherwise another process was faster
			return file, err
		}
	} else if err != nil {
		return nil, err
	}
	// openFlags and the second check cover a file that was replaced since the first.
	return openChecked(path, flag|openFlags, func(info fs.FileInfo) error { return checkFile(path, info) })
}

// openChecked opens a file and applies a check to what was opened.
func openChecked(path string, flag int, check func(fs.FileInfo) error) (file *os.File, err error) {
	err = whileBusy(path, func() (err error) {
		file, err = os.OpenFile(path, flag, 0o600)
		return err
	})
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		err = check(info)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Read returns the content of a file, opened by [OpenFile]. It reads at most limit+1 bytes: the extra byte tells the
// caller that the file is too large.
func Read(path string, limit int64) ([]byte, error) {
	file, err := OpenFile(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, limit+1))
}

// ReadTrusted returns the content of a regular file that only the user and the administrator can change.
// It reads at most limit+1 bytes. It follows symbolic links that only these two can change, since people often keep
// configuration files in another folder and link to them.
func ReadTrusted(path string, limit int64) ([]byte, error) {
	for _, checked := range []string{filepath.Dir(path), path} {
		if err := CheckTrusted(checked); err != nil {
			return nil, err
		}
	}
	file, err := openChecked(path, os.O_RDONLY|openFlagsFollow, func(info fs.FileInfo) error {
		if !info.Mode().IsRegular() {
			return &Error{Reason: path + " is not a regular file", Next: Move(path)}
		}
		return checkOwner(path, info, groupAndOthersWrite, "go-w", true)
	})
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, limit+1))
}

// CheckTrusted returns an *Error if anyone but this user and the administrator owns a file or folder or can write to
// it. For a symbolic link it checks both the link and its target.
func CheckTrusted(path string) error {
	for _, stat := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} {
		info, err := stat(path)
		if err != nil {
			return err
		}
		if err := checkOwner(path, info, groupAndOthersWrite, "go-w", true); err != nil {
			return err
		}
	}
	return nil
}
