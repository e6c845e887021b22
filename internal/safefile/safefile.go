// Package safefile holds files and folders that only their owner may change to just that: the modes and the owner that they
// have, and that they are what they are taken for and no link.
package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// An Error says why a file or folder is not safe to use.
type Error struct {
	Reason string
	// Next is what mends it, as a phrase without a full stop.
	Next string
	// Mend is the command that does; empty where a person has to decide.
	Mend string
}

// Error implements error.
func (e *Error) Error() string { return e.Reason }

// Bits of a mode that a file or folder may not have.
const (
	Anybody fs.FileMode = 0o077 // rights of any kind for group or others
	Writers fs.FileMode = 0o022 // the right to change it, for group or others
)

// A Place is a file or folder in which a package keeps something.
type Place struct {
	Path   string
	Folder bool
	// Public says that others may read what is there.
	Public bool
	// Check refuses it as its package does: the error is an *Error, or one for which [fs.ErrNotExist] holds where nothing is there.
	Check func() error
}

// File refuses anything but a regular file of the user's own that has none of the forbidden bits. Then is what the user may do
// once something else is removed.
func File(path string, forbidden fs.FileMode, then string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if err := regular(path, info, then); err != nil {
		return err
	}
	return owned(path, info, forbidden, "600")
}

// regular refuses anything but a regular file, by what [os.Lstat] says of it.
func regular(path string, info fs.FileInfo, then string) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return &Error{path + " is a symbolic link", "remove the link (rm " + Quote(path) + ") and " + then, "rm " + Quote(path)}
	case !info.Mode().IsRegular():
		return &Error{fmt.Sprintf("%s is not a regular file (%s)", path, what(info.Mode())), "remove it and " + then, moved(path)}
	}
	return nil
}

// what is what stands in the place of a file, in words.
func what(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return mode.Type().String()
}

// Folder refuses a folder that is a link or no folder at all, that belongs to another user or that others may change: who
// may write to a folder may replace what is in it. One that is not there is an error for which [fs.ErrNotExist] holds.
func Folder(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return &Error{path + " is a symbolic link, and nothing is kept through one", "name the folder itself in PAYCTL_CONFIG_DIR, or put a folder in the link's place", ""}
	case !info.IsDir():
		return &Error{path + " is not a folder", "remove it, or name another folder", moved(path)}
	}
	return owned(path, info, Writers, "700")
}

// Read returns the content of a regular file that is the user's own and has none of the forbidden bits, at most most bytes and
// one more. A link in the last place is never followed.
func Read(path string, most int64, forbidden fs.FileMode, then string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if err := regular(path, info, then); err != nil {
		return nil, err
	}
	// The flags cover a link or a pipe that took its place since, the checks below what was really opened.
	f, err := os.OpenFile(path, os.O_RDONLY|OpenFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if err := errors.Join(regular(path, info, then), owned(path, info, forbidden, "600")); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, most+1))
}

// ReadTrusted returns the content of a regular file that nobody but the user and the administrator may have changed, at most
// most bytes and one more. It may be reached by links, of which the same holds: a file that holds no secrets is often kept
// elsewhere, with a person's other settings.
func ReadTrusted(path string, most int64) ([]byte, error) {
	for _, place := range []string{filepath.Dir(path), path} {
		if err := Trusted(place); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|trustingFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &Error{path + " is not a regular file", "move it away", moved(path)}
	}
	if err := trusted(path, info); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, most+1))
}

// Trusted refuses a file or folder that others than the user and the administrator have put there or may change, and so a link to it.
func Trusted(path string) error {
	for _, look := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} {
		info, err := look(path)
		if err != nil {
			return err
		}
		if err := trusted(path, info); err != nil {
			return err
		}
	}
	return nil
}

// moved is the command that puts something out of the way.
func moved(path string) string { return "mv " + Quote(path) + " " + Quote(path+".bad") }

// Quote makes path one word of a POSIX shell.
func Quote(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:,@%", r)
	}
	if path != "" && strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
