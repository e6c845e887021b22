package securefile

import (
	"io/fs"
	"os"
)

// OpenFlags has no flags here: this system knows neither O_NOFOLLOW nor O_NONBLOCK.
const OpenFlags = 0

const openFlagsFollow = 0

// checkOwner refuses nothing: which of the groups in an access list are the user's own cannot be told, and folders at the
// top of a drive let every user write by default. payctl gives what it creates an access list of its own, and the doctor
// warns of what others can read or change ([CheckPrivate]).
func checkOwner(string, fs.FileInfo, fs.FileMode, string) error { return nil }

// checkTrustedOwner refuses nothing, for the same reason.
func checkTrustedOwner(string, fs.FileInfo) error { return nil }

// syncRoot has nothing to do: folders cannot be synced here. Windows keeps renames in the journal of its file system, from
// which it takes all or nothing of them.
func syncRoot(*os.Root) error { return nil }
