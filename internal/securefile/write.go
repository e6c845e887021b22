package securefile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/payctl/payctl/internal/shell"
)

// TempSuffix ends the name of the temporary file that [Replace] writes next to a file.
const TempSuffix = ".tmp"

// Write replaces a file by one that only the user can read, with the content, in one step: a reader sees either the old
// content or all of the new, also after a power cut. The content is on the disk before the rename, and the rename
// before Write returns; on Windows, which does not tell when a rename is on the disk, a power cut may bring the old
// content back. A symbolic link is replaced, not followed. The error is an *Error if the path is that of something
// other than a regular file.
func Write(path string, content []byte) error {
	temp, err := createTemp(path)
	if err != nil {
		return err
	}
	return writeAndRename(temp, path, content)
}

// Replace is [Write] for a file in a folder for which [CheckFolder] finds nothing. The caller holds a [Lock], so that the
// temporary file can have one fixed name, path and [TempSuffix], and one that a killed process left behind, which may
// contain secrets, is removed.
func Replace(path string, content []byte) error {
	if err := CheckFolder(filepath.Dir(path)); err != nil {
		return err
	}
	name := path + TempSuffix
	if err := RemoveFile(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var temp *os.File
	err := whileBusy(name, func() (err error) { // on Windows the name may be in use after the removal
		temp, err = CreateNew(name)
		return err
	})
	if err != nil {
		return err
	}
	return writeAndRename(temp, path, content)
}

// writeAndRename writes content to a new file, closes it and gives it the name path. If that fails, the file that has the
// name stays as it was, and the new one is removed.
func writeAndRename(temp *os.File, path string, content []byte) (err error) {
	defer func() {
		if err == nil {
			return
		}
		if removal := RemoveFile(temp.Name()); !errors.Is(removal, fs.ErrNotExist) {
			err = errors.Join(err, removal)
		}
	}()
	if _, err = temp.Write(content); err == nil {
		err = temp.Sync()
	}
	if err := errors.Join(err, temp.Close()); err != nil {
		return err
	}
	if err := Rename(temp.Name(), path); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// CheckWritable returns early the error that [Write] would return. It leaves nothing behind.
func CheckWritable(path string) error {
	file, err := createTemp(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), RemoveFile(file.Name()))
}

// createTemp creates a file that only the user can read, with a random name in the folder of path. It returns an *Error if
// path is, or leads to, a device, a pipe or a folder, or lies in /dev: there /dev/stdout is a link to a regular file when
// the output is redirected to one.
func createTemp(path string) (*os.File, error) {
	if err := CheckName(path); err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &Error{Reason: path + " is not a regular file", Next: shell.Note("name another file")}
	}
	folder, failed := filepath.Abs(filepath.Dir(path))
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case failed != nil:
		return nil, failed
	case folder == filepath.Dir(os.DevNull):
		return nil, &Error{Reason: path + " is in the system's folder of devices", Next: shell.Note("name another file")}
	}
	file, err := CreateNew(filepath.Join(filepath.Dir(path), ".payctl-"+rand.Text()))
	if of, isPath := errors.AsType[*fs.PathError](err); isPath {
		of.Path = path // the user knows path, not the temporary name
	}
	return file, err
}

// Remove removes a file from a folder for which [CheckFolder] finds nothing. The removal survives a power cut.
func Remove(path string) error {
	if err := CheckFolder(filepath.Dir(path)); err != nil {
		return err
	}
	if err := RemoveFile(path); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// On Windows a file that another program has open can often be neither replaced nor removed, and sometimes not read:
// editors, virus scanners and indexers hold files for moments, and other processes of payctl do while they read. Such
// an operation is tried again for busyTimeout, the time that Go's own tools wait (cmd/internal/robustio). busyPoll is
// the time between two attempts: short for a person, and long enough to leave the other program the processor.
const (
	busyTimeout = 2 * time.Second
	busyPoll    = 10 * time.Millisecond
)

// whileBusy tries an operation on the file at path again while another program has that open, for at most busyTimeout.
func whileBusy(path string, try func() error) error {
	ends := time.Now().Add(busyTimeout)
	for {
		err := try()
		busy, held := isBusy(err)
		switch {
		case busy && time.Now().Before(ends):
			<-time.After(busyPoll)
		case held:
			return &Error{Reason: "another program has " + path + " open", Next: shell.Note("close it there, and run the command again")}
		default:
			return err
		}
	}
}

// Rename renames a file, and replaces one that has the new name. On Windows it waits while another program has one of
// them open.
func Rename(from, to string) error {
	return whileBusy(to, func() error { return os.Rename(from, to) })
}

// RemoveFile removes a file of a folder of any owner. On Windows it waits while another program has it open.
func RemoveFile(path string) error { return whileBusy(path, func() error { return os.Remove(path) }) }

// RemoveAll removes a folder with all that is in it. On Windows it waits while another program has a file of it open.
func RemoveAll(path string) error { return whileBusy(path, func() error { return os.RemoveAll(path) }) }
