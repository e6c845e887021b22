package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// unwritable returns what a database needs but this user cannot write to: its file, a companion file of SQLite,
// or, where such a file does not exist, its folder. It is empty if there is no such obstacle.
func unwritable(path string) string {
	for _, place := range []string{path, path + "-wal", path + "-shm"} {
		for isAbsent(place) && place != filepath.Dir(place) {
			place = filepath.Dir(place)
		}
		if !mayWrite(place) {
			return place
		}
	}
	return ""
}

func isAbsent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
