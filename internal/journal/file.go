package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Modes of what the journal makes: nobody else may read it.
const (
	folderMode = 0o700
	fileMode   = 0o600
	others     = 0o077
)

// prepareFile makes the folder and the file with modes that SQLite would not give them; the files that it makes beside
// have the mode of the database. A file that is there must be the user's alone.
func prepareFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), folderMode); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_EXCL, fileMode)
	if errors.Is(err, fs.ErrExist) {
		return checkFile(path)
	}
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func checkFile(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: it is a link or no file; remove it, or name another", ErrUnsafe)
	case runtime.GOOS != "windows" && info.Mode().Perm()&others != 0:
		return fmt.Errorf("%w: others have rights to it (mode %04o); run chmod 600 %q", ErrUnsafe, info.Mode().Perm(), path)
	}
	return nil
}

// syncFolder makes sure that a new file is found after a power cut.
func syncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil // it has no such thing, and does it by itself
	}
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
