package securefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// TempSuffix ends the name of the temporary file that [Replace] writes next to a file.
const TempSuffix = ".tmp"

// Write replaces a file by one with mode 0600 and the content in one step: a reader sees either the old content or all
// of the new. A symbolic link is replaced, not followed. The error is an *Error if the path is that of something other
// than a regular file. The content may be lost in a power cut; see [Replace].
func Write(path string, content []byte) error {
	temp, err := createTemp(path)
	if err != nil {
		return err
	}
	return writeAndRename(temp, path, content, false)
}

// Replace is [Write] for a file that must survive a power cut: the content is on the disk before the rename, and the
// rename before Replace returns. The caller holds a [Lock], so that the temporary file can have one fixed name, path
// and [TempSuffix], and one that a killed process left behind, which may contain secrets, is removed.
func Replace(path string, content []byte) error {
	name := path + TempSuffix
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	temp, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|OpenFlags, 0o600)
	if err != nil {
		return err
	}
	return writeAndRename(temp, path, content, true)
}

// writeAndRename writes content to the new file temp, closes it and renames it to path. If that fails, it removes temp.
func writeAndRename(temp *os.File, path string, content []byte, durable bool) (err error) {
	defer func() {
		if err == nil {
			return
		}
		if removal := os.Remove(temp.Name()); !errors.Is(removal, fs.ErrNotExist) {
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
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	if durable {
		return SyncFolder(filepath.Dir(path))
	}
	return nil
}

// CheckWritable returns early the error that [Write] would return. It leaves nothing behind.
func CheckWritable(path string) error {
	file, err := createTemp(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// createTemp creates a file with mode 0600 and a random name in the folder of path.
func createTemp(path string) (*os.File, error) {
	if err := checkReplaceable(path); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".payctl-*")
	if of, isPath := errors.AsType[*fs.PathError](err); isPath {
		return nil, &fs.PathError{Op: of.Op, Path: path, Err: of.Err} // the user knows path, not the temporary name
	}
	return file, err
}

// checkReplaceable returns an *Error if path is, or leads to, a device, a pipe or a folder, or lies in /dev: there
// /dev/stdout is a link to a regular file when the output is redirected to one.
func checkReplaceable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		reason := fmt.Sprintf("%s is not a regular file (%s)", path, kindOf(info.Mode()))
		return &Error{Reason: reason, Next: "name another file"}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err == nil && folder == filepath.Dir(os.DevNull) {
		return &Error{Reason: path + " is in the system's folder of devices", Next: "name another file"}
	}
	return err
}
