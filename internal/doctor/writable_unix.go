//go:build unix

package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// unwritable is what keeps this user from writing to a database: its file or one of those that it is written through, or, as long
// as one is not there, the folder that it would be made in. It is empty where nothing does.
func unwritable(path string) string {
	for _, place := range []string{path, path + "-wal", path + "-shm"} {
		for isAbsent(place) && place != filepath.Dir(place) {
			place = filepath.Dir(place)
		}
		if unix.Access(place, unix.W_OK) != nil {
			return place
		}
	}
	return ""
}

func isAbsent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
