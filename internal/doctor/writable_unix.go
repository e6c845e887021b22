//go:build unix

package doctor

import "golang.org/x/sys/unix"

// mayWrite reports whether the user may write to a file, or create files in a folder.
func mayWrite(path string) bool { return unix.Access(path, unix.W_OK) == nil }
