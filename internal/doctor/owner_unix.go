//go:build unix

package doctor

import (
	"io/fs"
	"os"
	"syscall"
)

// foreignOwner says whether a file belongs to another user than this process, and to which.
func foreignOwner(info fs.FileInfo) (owner uint32, foreign bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return stat.Uid, int(stat.Uid) != os.Geteuid()
}
