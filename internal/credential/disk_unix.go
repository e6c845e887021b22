//go:build unix

package credential

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openFlags refuse a link in the last place, and do not wait for the other end of a pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// checkOwner refuses what belongs to another user or has any of the forbidden mode bits.
func checkOwner(path string, info fs.FileInfo, forbidden fs.FileMode, mend string) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return unsafeFile("run payctl as that user, or have it changed: chown \"$(id -u)\" "+quote(path),
			"%s belongs to user %d, this process is user %d", path, st.Uid, os.Geteuid())
	}
	if info.Mode().Perm()&forbidden != 0 {
		return unsafeFile("run: chmod "+mend+" "+quote(path),
			"%s has mode %04o, which gives rights to group or others", path, info.Mode().Perm())
	}
	return nil
}

// syncDir puts a rename or a removal on the disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil // a file system that syncs no folders
	}
	return errors.Join(err, d.Close())
}
