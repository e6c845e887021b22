//go:build unix

package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// OpenFlags refuse a link in the last place, and do not wait for the other end of a pipe.
const OpenFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// trustingFlags follow a link.
const trustingFlags = syscall.O_NONBLOCK

// owned refuses what belongs to another user or has any of the forbidden mode bits. Mend is the mode to mend it with.
func owned(path string, info fs.FileInfo, forbidden fs.FileMode, mend string) error {
	if owner, foreign := foreign(info); foreign {
		return &Error{
			belongs(path, owner), "run payctl as that user, or have it changed: chown \"$(id -u)\" " + Quote(path),
			"sudo chown \"$(id -u)\" " + Quote(path),
		}
	}
	if info.Mode().Perm()&forbidden != 0 {
		return &Error{
			fmt.Sprintf("%s has mode %04o, which gives rights to group or others", path, info.Mode().Perm()),
			"run: chmod " + mend + " " + Quote(path), "chmod " + mend + " " + Quote(path),
		}
	}
	return nil
}

// trusted refuses what others than the user and the system's administrator have put there or may change. Others may read it.
func trusted(path string, info fs.FileInfo) error {
	if owner, foreign := foreign(info); foreign && owner != 0 {
		return &Error{belongs(path, owner), "take it over (chown \"$(id -u)\" " + Quote(path) + ") once you have read it, or remove it", ""}
	}
	if info.Mode().Type() != fs.ModeSymlink && info.Mode().Perm()&Writers != 0 {
		return &Error{
			fmt.Sprintf("%s has mode %04o, which lets others change it", path, info.Mode().Perm()),
			"look whether it says what you want, then run: chmod go-w " + Quote(path), "chmod go-w " + Quote(path),
		}
	}
	return nil
}

// foreign says whether something belongs to another user than this process, and to which.
func foreign(info fs.FileInfo) (owner uint32, is bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return st.Uid, int(st.Uid) != os.Geteuid()
}

func belongs(path string, owner uint32) string {
	return fmt.Sprintf("%s belongs to user %d, this process is user %d", path, owner, os.Geteuid())
}

// SyncFolder puts a rename or a removal on the disk.
func SyncFolder(dir string) error {
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
