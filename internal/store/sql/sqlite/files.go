package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/sqlitedb"
)

// then is what the user can do after a file of the folder had to be removed.
const then = "start payctl serve again"

// files is the open folder with what the store keeps in it, apart from what SQLite opens by itself.
type files struct{ *securefile.Folder }

// openFiles opens a folder. The error is a *securefile.Error if another user could read or change a file of it, or put
// one into it.
func openFiles(folder string) (*files, error) {
	opened, err := securefile.OpenFolder(folder)
	if err != nil {
		return nil, err
	}
	f := &files{opened}
	err = sqlitedb.Check(f.path(fileName), then)
	for _, name := range []string{stateName, lockName} {
		if err == nil {
			err = securefile.CheckFile(f.path(name), securefile.GroupAndOthers, then)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (f *files) path(name string) string { return filepath.Join(f.Name(), name) }

// open opens a file of the folder; with os.O_CREATE it creates one.
func (f *files) open(name string, flag int) (*os.File, error) {
	return f.OpenFile(name, flag, securefile.GroupAndOthers, then)
}
