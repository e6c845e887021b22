package securefile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// TempSuffix ends the name of the temporary file that [Replace] writes next to a file.
const TempSuffix = ".tmp"

// Write replaces a file by one that only the user can read, with the content, in one step: a reader sees either the old
// content or all of the new, also after a power cut. The content is on the disk before the rename, and the rename
// before Write returns; on Windows, which does not tell when a rename is on the disk, a power cut may bring the old
// content back. A symbolic link is replaced, not followed. The error is an *Error if the path is that of something
// other than a regular file.
func Write(path string, content []byte) error { return write(path, content, true) }

// WriteVolatile is [Write] for a file that is worth nothing once the machine has failed: nothing is waited for until it
// is on the disk, and a power cut may leave an empty file.
func WriteVolatile(path string, content []byte) error { return write(path, content, false) }

func write(path string, content []byte, durable bool) error {
	temp, err := createTemp(path)
	if err != nil {
		return err
	}
	return writeAndRename(temp, path, content, durable)
}

// Replace is [Write] for a file in a folder for which [CheckFolder] finds nothing. The caller holds a [Lock], so that the
// temporary file can have one fixed name, path and [TempSuffix], and one that a killed process left behind, which may
// contain secrets, is removed.
func Replace(path string, content []byte) error {
	if err := CheckFolder(filepath.Dir(path)); err != nil {
		return err
	}
	if err := checkReadOnly(path); err != nil {
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
	return writeAndRename(temp, path, content, true)
}

// writeAndRename writes content to a new file, closes it and gives it the name path. If that fails, the file that has the
// name stays as it was, and the new one is removed.
func writeAndRename(temp *os.File, path string, content []byte, durable bool) (err error) {
	defer func() {
		if err == nil {
			return
		}
		if removal := RemoveFile(temp.Name()); !errors.Is(removal, fs.ErrNotExist) {
			err = errors.Join(err, removal)
		}
	}()
	_, err = temp.Write(content)
	if err == nil && durable {
		err = temp.Sync()
	}
	if err := errors.Join(err, temp.Close()); err != nil {
		return err
	}
	if err := Rename(temp.Name(), path); err != nil || !durable {
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

// createTemp creates a file that only the user can read, with a random name in the folder of path.
func createTemp(path string) (*os.File, error) {
	if err := checkReplaceable(path); err != nil {
		return nil, err
	}
	file, err := CreateNew(filepath.Join(filepath.Dir(path), ".payctl-"+rand.Text()))
	if of, isPath := errors.AsType[*fs.PathError](err); isPath {
		of.Path = path // the user knows path, not the temporary name
	}
	return file, err
}

// checkReplaceable returns an *Error if path is, or leads to, a device, a pipe or a folder, or lies in /dev: there
// /dev/stdout is a link to a regular file when the output is redirected to one. The error is a *BlockedError if the file
// is read-only on Windows, and that of [CheckName] if the name is none of a file.
func checkReplaceable(path string) error {
	if err := CheckName(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return &Error{Reason: path + " is not a regular file", Next: "name another file"}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := checkReadOnly(path); err != nil {
		return err
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err == nil && folder == filepath.Dir(os.DevNull) {
		return &Error{Reason: path + " is in the system's folder of devices", Next: "name another file"}
	}
	return err
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
