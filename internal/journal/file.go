package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/payctl/payctl/internal/safefile"
)

// Modes of what the journal makes: nobody else may read it.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// again is what the user may do once a file that is no journal is gone.
const again = "run the command again, or name another with --journal"

// prepareFile makes the folder and the file with modes that SQLite would not give them; the files that it makes beside
// have the mode of the database. What is there must be the user's alone, and no link.
func prepareFile(path string) error {
	folder := filepath.Dir(path)
	if err := prepareFolder(folder); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_EXCL|safefile.OpenFlags, fileMode)
	switch {
	case err == nil:
		if err := errors.Join(f.Close(), safefile.SyncFolder(folder)); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	for _, suffix := range suffixes() {
		if err := checkFile(path + suffix); err != nil && !(suffix != "" && errors.Is(err, fs.ErrNotExist)) {
			return err
		}
	}
	return nil
}

// inPlace returns a function that says whether the file is still the one that is at its path now.
func inPlace(path string) (func() error, error) {
	opened, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	return func() error {
		now, err := os.Lstat(path)
		if err == nil && os.SameFile(opened, now) {
			return nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return ErrGone
	}, nil
}

// prepareFolder makes a folder, and refuses one in which others could replace what the journal keeps.
func prepareFolder(folder string) error {
	if err := os.MkdirAll(folder, folderMode); err != nil {
		return err
	}
	return unsafe(safefile.Folder(folder))
}

func checkFile(path string) error { return unsafe(safefile.File(path, safefile.Anybody, again)) }

// suffixes are those of the files that SQLite keeps a database in (https://www.sqlite.org/tempfiles.html).
func suffixes() []string { return []string{"", "-wal", "-shm", "-journal"} }

// Places are the files and folders that the journal at path is kept in, with what is asked of each.
func Places(path string) []safefile.Place {
	var places []safefile.Place
	for _, folder := range []string{filepath.Dir(path), path + ownersSuffix} {
		places = append(places, safefile.Place{Path: folder, Folder: true, Public: true, Check: func() error { return safefile.Folder(folder) }})
	}
	for _, suffix := range suffixes() {
		file := path + suffix
		places = append(places, safefile.Place{Path: file, Check: func() error { return safefile.File(file, safefile.Anybody, again) }})
	}
	return places
}

// unsafe gives an error of safefile the package's own kind, and says what mends it.
func unsafe(err error) error {
	if found, ok := errors.AsType[*safefile.Error](err); ok {
		return fmt.Errorf("%w: %s; %s", ErrUnsafe, found.Reason, found.Next)
	}
	return err
}
