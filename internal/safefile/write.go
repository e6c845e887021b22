package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write puts content into a file that only the user can read, in one step: whoever looks finds what was there before or all of
// it. A link there is replaced, not followed. The error is an *Error where a device, a pipe or a folder is, or leads to, the
// place: the file would stand in its stead.
func Write(path string, content []byte) (err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return &Error{Reason: fmt.Sprintf("%s is not a regular file (%s)", path, what(info.Mode())), Next: "name another"}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), temporaryPattern) // mode 0600
	if of, isPath := errors.AsType[*fs.PathError](err); isPath {
		return &fs.PathError{Op: of.Op, Path: path, Err: of.Err} // nobody has heard of the temporary name
	}
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

const temporaryPattern = ".payctl-*"
