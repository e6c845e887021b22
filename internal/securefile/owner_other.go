//go:build !unix

package securefile

import (
	"io/fs"
	"os"
)

// OpenFlags has no flags here: this system knows neither O_NOFOLLOW nor O_NONBLOCK.
const OpenFlags = 0

const openFlagsFollow = 0

// checkOwner has nothing to check: Go makes up the modes of files here, and there are no numeric owners. The access
// list of the folder, which is in the user's profile, decides who can read it.
func checkOwner(string, fs.FileInfo, fs.FileMode, string) error { return nil }

// checkTrustedOwner has nothing to check, for the same reason.
func checkTrustedOwner(string, fs.FileInfo) error { return nil }

// CheckMode has nothing to check, for the same reason.
func CheckMode(string, fs.FileMode, string) error { return nil }

// syncRoot has nothing to do: folders cannot be synced here. Windows keeps renames in the journal of its file system, from
// which it takes all or nothing of them.
func syncRoot(*os.Root) error { return nil }
