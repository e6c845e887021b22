//go:build unix

package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// unwritable is what keeps this user from writing to a file and from making others beside it: the file, or its folder, or, as
// long as they are not there, the folder that they would be made in. It is empty where nothing does.
func unwritable(path string) string {
	for _, place := range []string{path, filepath.Dir(path)} {
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
