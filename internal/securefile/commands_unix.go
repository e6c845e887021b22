//go:build unix

package securefile

import "github.com/payctl/payctl/internal/shell"

// MoveCommand is the command that renames a file out of the way.
func MoveCommand(path string) string {
	return shell.Hint("mv -- FILE FILE.bad", shell.Values{"FILE": path, "FILE.bad": path + ".bad"})
}

// ReadableCommand is the command that lets the user read a file of their own.
func ReadableCommand(path string) string { return chmodCommand("u+r", path) }

// chmodCommand is the command that gives a file a mode.
func chmodCommand(mode, path string) string {
	return shell.Hint("chmod MODE -- FILE", shell.Values{"MODE": mode, "FILE": path})
}
