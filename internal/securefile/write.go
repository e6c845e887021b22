package securefile

import (
	"crypto/rand"
	"errors"
	"fmt"
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
	folder, temp, err := createTemp(path)
	if err != nil {
		return err
	}
	err = writeAndRename(folder, temp, filepath.Base(path), content, durable)
	return errors.Join(err, folder.Close())
}

// Replace is [Write] for a file in a folder for which [CheckFolder] finds nothing. The caller holds a [Lock], so that the
// temporary file can have one fixed name, path and [TempSuffix], and one that a killed process left behind, which may
// contain secrets, is removed.
func Replace(path string, content []byte) (err error) {
	folder, err := OpenFolder(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	if err := checkReadOnly(path); err != nil {
		return err
	}
	name := filepath.Base(path) + TempSuffix
	if err := folder.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var temp *os.File
	err = whileBusy(path+TempSuffix, func() (err error) { // on Windows the name may be in use after the removal
		temp, err = createNew(folder.Root, name)
		return err
	})
	if err != nil {
		return err
	}
	return writeAndRename(folder.Root, temp, filepath.Base(path), content, true)
}

// writeAndRename writes content to the new file temp of a folder, closes it and renames it. If that fails, the file that
// has the name stays as it was, and temp is removed.
func writeAndRename(folder *os.Root, temp *os.File, name string, content []byte, durable bool) (err error) {
	from := filepath.Base(temp.Name())
	defer func() {
		if err == nil {
			return
		}
		if removal := removeFrom(folder, from); !errors.Is(removal, fs.ErrNotExist) {
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
	rename := func() error { return folder.Rename(from, name) }
	if err := whileBusy(filepath.Join(folder.Name(), name), rename); err != nil {
		return err
	}
	if durable {
		return syncRoot(folder)
	}
	return nil
}

// SyncFolder makes the renames and removals in a folder of any owner survive a power cut.
func SyncFolder(path string) error {
	folder, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	return errors.Join(syncRoot(folder), folder.Close())
}

// CheckWritable returns early the error that [Write] would return. It leaves nothing behind.
func CheckWritable(path string) error {
	folder, file, err := createTemp(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), removeFrom(folder, filepath.Base(file.Name())), folder.Close())
}

// createTemp creates a file with mode 0600 and a random name in the folder of path, which it opens.
func createTemp(path string) (*os.Root, *os.File, error) {
	if err := checkReplaceable(path); err != nil {
		return nil, nil, err
	}
	folder, err := os.OpenRoot(filepath.Dir(path))
	if err == nil {
		var file *os.File
		if file, err = createNew(folder, ".payctl-"+rand.Text()); err == nil {
			return folder, file, nil
		}
		err = errors.Join(err, folder.Close())
	}
	err = withPath(err, path) // the user knows path, not the temporary name
	return nil, nil, err
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
		reason := fmt.Sprintf("%s is not a regular file (%s)", path, kindOf(info.Mode()))
		return &Error{Reason: reason, Next: "name another file"}
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

// CreateNew creates a file that only the user can read, at a path where nothing is, and opens it for reading and writing.
// The folder may be of any owner.
func CreateNew(path string) (*os.File, error) {
	folder, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	file, err := createNew(folder, filepath.Base(path))
	return file, errors.Join(err, folder.Close())
}
