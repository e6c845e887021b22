package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write puts content into a file that only the user can read, in one step: whoever looks finds what was there before or all of
// it. A link there is replaced, not followed. The error is an *Error where a file would stand in the stead of
// something else.
func Write(path string, content []byte) (err error) {
	file, err := beside(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if _, err := file.Write(content); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// Writable finds early what [Write] would fail for. It leaves nothing behind.
func Writable(path string) error {
	file, err := beside(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// beside opens a new file, of mode 0600, to be put in place of the one that a path names.
func beside(path string) (*os.File, error) {
	if err := replaceable(path); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(filepath.Dir(path), temporaryPattern)
	if of, isPath := errors.AsType[*fs.PathError](err); isPath {
		return nil, &fs.PathError{Op: of.Op, Path: path, Err: of.Err} // nobody has heard of the temporary name
	}
	return file, err
}

// replaceable refuses, with an *Error, a path where a device, a pipe or a folder is, or to which it leads, and any among the
// devices: there /dev/stdout leads to a regular file where that is what the output goes to.
func replaceable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return &Error{Reason: fmt.Sprintf("%s is not a regular file (%s)", path, what(info.Mode())), Next: "name another"}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err == nil && folder == filepath.Dir(os.DevNull) {
		return &Error{Reason: path + " is a place of the system's devices", Next: "name another"}
	}
	return err
}

const temporaryPattern = ".payctl-*"
