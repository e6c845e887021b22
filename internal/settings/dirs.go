package settings

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/payctl/payctl/internal/shell"
)

// Variables that name folders.
const (
	EnvConfigDir = "PAYCTL_CONFIG_DIR" // of the configuration file and, below it, of the state
	EnvStateDir  = "PAYCTL_STATE_DIR"  // of the state
)

// errNoFolder is the cause if no variable names a folder.
var errNoFolder = errors.New("no variable names it")

const program = "payctl"

// Dir returns the folder of the configuration file: PAYCTL_CONFIG_DIR, or else payctl in the folder of
// [os.UserConfigDir]. It is an error if the environment names no folder, or not an absolute one. Dir creates nothing.
func Dir(getenv func(string) string) (string, error) { return configDir(runtime.GOOS, getenv) }

// StateDir returns the folder for data that the program keeps between runs: PAYCTL_STATE_DIR, or else state in
// PAYCTL_CONFIG_DIR, or else the system's folder. StateDir creates nothing.
func StateDir(getenv func(string) string) (string, error) { return stateDir(runtime.GOOS, getenv) }

const library = "Library/Application Support/payctl"

// A folderOf is a variable that names a folder, and a path in it.
type folderOf struct{ variable, path string }

// configDir follows the XDG Base Directory Specification if the operating system has no convention.
func configDir(goos string, getenv func(string) string) (string, error) {
	own := folderOf{EnvConfigDir, ""}
	switch goos {
	case "windows":
		return firstFolder(getenv, own, folderOf{"AppData", program})
	case "darwin":
		return firstFolder(getenv, own, folderOf{"HOME", library})
	}
	return firstFolder(getenv, own, folderOf{"XDG_CONFIG_HOME", program}, folderOf{"HOME", ".config/" + program})
}

func stateDir(goos string, getenv func(string) string) (string, error) {
	own, config := folderOf{EnvStateDir, ""}, folderOf{EnvConfigDir, "state"}
	switch goos {
	case "windows":
		return firstFolder(getenv, own, config, folderOf{"LocalAppData", program})
	case "darwin":
		return firstFolder(getenv, own, config, folderOf{"HOME", library + "/state"})
	}
	return firstFolder(getenv, own, config,
		folderOf{"XDG_STATE_HOME", program}, folderOf{"HOME", ".local/state/" + program})
}

// firstFolder returns the folder of the first variable that is set. It must be absolute, or it would depend on the
// working directory.
func firstFolder(getenv func(string) string, folders ...folderOf) (string, error) {
	direct, last := folders[0].variable, folders[len(folders)-1].variable
	for _, folder := range folders {
		base := getenv(folder.variable)
		switch {
		case base == "":
			continue
		case filepath.IsAbs(base):
			return filepath.Join(base, filepath.FromSlash(folder.path)), nil
		}
		reason := fmt.Sprintf("%s is %s, which is not an absolute path", folder.variable, base)
		if err := CheckTilde(base); err != nil {
			reason = fmt.Sprintf("%s: %v", folder.variable, err)
		}
		return "", &Error{Reason: reason, Next: shell.Note("set " + direct + " to the whole path of a folder")}
	}
	return "", &Error{
		Reason: fmt.Sprintf("neither %s nor %s is set, so payctl has no folder for its files", direct, last),
		Cause:  errNoFolder, Next: shell.Note("set " + direct + " to a folder"),
	}
}
