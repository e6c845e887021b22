package securefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A Folder is an open folder for which [CheckFolder] finds nothing. Its methods work in that folder, and not in another
// one that takes its path meanwhile: a user who can write to the folder above can exchange them at any moment.
type Folder struct{ *os.Root }

// OpenFolder opens a folder. Its errors are those of [CheckFolder].
func OpenFolder(path string) (*Folder, error) {
	if err := CheckFolder(path); err != nil {
		return nil, err
	}
	root, err := openRoot(path, os.Lstat)
	if err != nil {
		return nil, err
	}
	if err := CheckFolder(path); err != nil { // of the open folder, since openRoot found it at the path
		return nil, errors.Join(err, root.Close())
	}
	return &Folder{root}, nil
}

// openRoot opens a folder, and returns an *Error unless stat finds the same one at the path.
func openRoot(path string, stat func(string) (fs.FileInfo, error)) (*os.Root, error) {
	var root *os.Root
	err := whileBusy(path, func() (err error) {
		root, err = os.OpenRoot(path)
		return err
	})
	if err != nil {
		return nil, err
	}
	opened, err := root.Stat(".")
	if err == nil {
		var named fs.FileInfo
		named, err = stat(path)
		if err == nil && !os.SameFile(opened, named) {
			err = replaced(path)
		}
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return root, nil
}

// replaced is the error of a file or folder that another one has taken the place of while it was opened.
func replaced(path string) error {
	return &Error{Reason: path + " was replaced while it was opened", Next: "see who replaces it, and run the command again"}
}

// OpenFile opens a file of the folder for which [CheckFile] finds nothing. With os.O_CREATE it creates one that only the
// user can read where there is none, and opens that for reading and writing.
func (f *Folder) OpenFile(name string, flag int, forbidden fs.FileMode, then string) (*os.File, error) {
	path := filepath.Join(f.Name(), name)
	check := func(info fs.FileInfo) error {
		if err := checkRegular(path, info, then); err != nil {
			return err
		}
		return checkOwner(path, info, forbidden, "600")
	}
	open := func() (file *os.File, err error) {
		info, err := f.Lstat(name)
		if err == nil {
			err = check(info)
		}
		if flag&os.O_CREATE != 0 && errors.Is(err, fs.ErrNotExist) {
			file, err := f.CreateNew(name)
			if !errors.Is(err, fs.ErrExist) { // otherwise another process was faster
				return file, err
			}
		} else if err != nil {
			return nil, err
		}
		// OpenFlags and the second check cover a file that was replaced since the first.
		return openChecked(func() (*os.File, error) { return f.Root.OpenFile(name, flag|OpenFlags, 0o600) }, check)
	}
	var file *os.File
	err := whileBusy(path, func() (err error) {
		file, err = open()
		return err
	})
	return file, withPath(err, path)
}

// CreateNew creates a file that only the user can read, where nothing of that name exists.
func (f *Folder) CreateNew(name string) (*os.File, error) { return createNew(f.Root, name) }

// Remove removes a file or an empty folder of the folder. On Windows it waits while another program has it open.
func (f *Folder) Remove(name string) error { return removeFrom(f.Root, name) }

// removeFrom is Remove for a folder of any owner.
func removeFrom(folder *os.Root, name string) error {
	return whileBusy(filepath.Join(folder.Name(), name), func() error { return folder.Remove(name) })
}

// withPath gives an error of the system a path, since those of os.Root name the file within the folder.
func withPath(err error, path string) error {
	if _, isBlocked := errors.AsType[*BlockedError](err); isBlocked {
		return err
	}
	if of, isPath := errors.AsType[*fs.PathError](err); isPath {
		return &fs.PathError{Op: "open", Path: path, Err: of.Err}
	}
	return err
}

// openChecked opens a file and applies a check to what was opened.
func openChecked(open func() (*os.File, error), check func(fs.FileInfo) error) (*os.File, error) {
	file, err := open()
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

// Remove removes a file from a folder for which [CheckFolder] finds nothing. The removal survives a power cut.
func Remove(path string) (err error) {
	folder, err := OpenFolder(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	if err := folder.Remove(filepath.Base(path)); err != nil {
		return err
	}
	return folder.Sync()
}

// Sync makes the renames and removals in the folder survive a power cut.
func (f *Folder) Sync() error { return syncRoot(f.Root) }
