//go:build unix

package securefile

import (
	"fmt"
	"io/fs"
	"os"
)

// createNew creates a file with mode 0600 in a folder, where nothing of that name exists.
func createNew(folder *os.Root, name string) (*os.File, error) {
	return folder.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|OpenFlags, 0o600)
}

// createFolder creates a folder with mode 0700.
func createFolder(path string) error { return os.Mkdir(path, 0o700) }

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
