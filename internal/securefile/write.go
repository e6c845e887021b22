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

// TempSuffix is the suffix of the temporary file that [Replace] writes.
const TempSuffix = ".tmp"

// Write replaces a file atomically: a reader sees either the old content or all of the new, also after a power cut.
// Only the user can read the new file. Write returns when the content and the rename are on the disk. Windows does not
// tell when a rename is on the disk, so there a power cut may bring the old content back. A symbolic link is replaced,
// not followed. The error is an *Error if path exists and is not a regular file.
func Write(path string, content []byte) error {
	temp, err := createTemp(path)
	if err != nil {
		return err
	}
	return writeAndRename(temp, path, content)
}

// Replace is [Write] for a file in a folder that passes [CheckFolder]. The caller must hold a [Lock]. The temporary
// file therefore has a fixed name, and Replace first removes one that a killed process left, which may contain
// secrets.
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

// writeAndRename writes content to temp, closes it and renames it to path. If that fails, it removes temp and leaves
// path as it was.
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

// CheckWritable returns the error that [Write] would return, without writing.
func CheckWritable(path string) error {
	file, err := createTemp(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), RemoveFile(file.Name()))
}

// createTemp creates a file with a random name, which only the user can read, in the folder of path. It returns an
// *Error if path is a device, a pipe, a folder, or a link to one. It also refuses all of /dev: /dev/stdout is a link
// to a regular file when the output is redirected to one.
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
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		pathError.Path = path // the user knows path, not the temporary name
	}
	return file, err
}

// Remove removes a file from a folder that passes [CheckFolder]. The removal survives a power cut.
func Remove(path string) error {
	if err := CheckFolder(filepath.Dir(path)); err != nil {
		return err
	}
	if err := RemoveFile(path); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// On Windows a file that another program has open often cannot be replaced or removed, and sometimes not read.
// Editors, virus scanners, indexers and other payctl processes hold files briefly.
const (
	busyTimeout = 2 * time.Second // as in Go's own tools (cmd/internal/robustio)
	busyPoll    = 10 * time.Millisecond
)

// whileBusy repeats an operation on the file at path while another program has the file open, for at most busyTimeout.
func whileBusy(path string, try func() error) error {
	ends := time.Now().Add(busyTimeout)
	for {
		err := try()
		busy, held := isBusy(err)
		switch {
		case busy && time.Now().Before(ends):
			<-time.After(busyPoll)
		case held:
			return &Error{
				Reason: "another program has " + path + " open",
				Next:   shell.Note("close it there, and run the command again"),
			}
		default:
			return err
		}
	}
}

// Rename is [os.Rename]. On Windows it waits while another program has one of the files open.
func Rename(from, to string) error {
	return whileBusy(to, func() error { return os.Rename(from, to) })
}

// RemoveFile is [os.Remove]. On Windows it waits while another program has the file open.
func RemoveFile(path string) error { return whileBusy(path, func() error { return os.Remove(path) }) }

// RemoveAll is [os.RemoveAll]. On Windows it waits while another program has a file in the folder open.
func RemoveAll(path string) error { return whileBusy(path, func() error { return os.RemoveAll(path) }) }
