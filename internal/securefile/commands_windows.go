package securefile

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"

	"github.com/payctl/payctl/internal/shell"
)

// MoveCommand is the command that renames a file out of the way.
func MoveCommand(path string) string {
	const move = "move FILE FILE.bad"    // both cmd and PowerShell know it
	if strings.ContainsAny(path, "[]") { // to PowerShell a pattern of names
		return move
	}
	path = filepath.FromSlash(path) // to cmd a slash begins an option
	return shell.Hint(move, shell.Values{"FILE": path, "FILE.bad": path + ".bad"})
}

// ReadableCommand is the command that lets the user read a file of their own. It takes the rights of others away.
func ReadableCommand(path string) string { return restrictCommand(path, false) }

// restrictCommand is the command that gives a file or folder the access list that payctl gives what it creates. cmd and
// PowerShell read it alike. SIDs have the same form on systems of all languages.
func restrictCommand(path string, folder bool) string {
	user := accountName()
	if folder {
		return shell.Hint(`icacls FILE /inheritance:r /grant:r USER:F "*S-1-5-18:(OI)(CI)F" "*S-1-5-32-544:(OI)(CI)F" `+
			`/remove:g "*S-1-1-0" "*S-1-5-11" "*S-1-5-32-545"`, shell.Values{"FILE": path, "USER:F": user + ":(OI)(CI)F"})
	}
	return shell.Hint(`icacls FILE /inheritance:r /grant:r USER:F "*S-1-5-18:F" "*S-1-5-32-544:F" `+
		`/remove:g "*S-1-1-0" "*S-1-5-11" "*S-1-5-32-545"`, shell.Values{"FILE": path, "USER:F": user + ":F"})
}

// accountName is the name of the user with the machine or domain, such as OFFICE\ada.
func accountName() string {
	name := make([]uint16, 512)
	size := uint32(len(name))
	if windows.GetUserNameEx(windows.NameSamCompatible, &name[0], &size) != nil {
		return "USER"
	}
	return windows.UTF16ToString(name)
}
