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

// errNoFolder is the cause of an error that no variable names a folder.
var errNoFolder = errors.New("no variable names it")

const program = "payctl"

// Dir returns the folder of the configuration file: PAYCTL_CONFIG_DIR, else the folder payctl where [os.UserConfigDir]
// would put it. It is an error when the environment names none, or one that is not absolute. Nothing is created.
func Dir(getenv func(string) string) (string, error) { return configDir(runtime.GOOS, getenv) }

// StateDir returns the folder for what the program keeps between runs: PAYCTL_STATE_DIR, else the folder state below
// PAYCTL_CONFIG_DIR, else the one of the system. Nothing is created.
func StateDir(getenv func(string) string) (string, error) { return stateDir(runtime.GOOS, getenv) }

const library = "Library/Application Support/payctl"

// A folderOf is a variable that names a folder, and the path below it.
type folderOf struct{ variable, path string }

// configDir is by the XDG Base Directory Specification where an operating system has no convention of its own.
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
	return firstFolder(getenv, own, config, folderOf{"XDG_STATE_HOME", program}, folderOf{"HOME", ".local/state/" + program})
}

// firstFolder returns the folder of the first variable that is set. It must be absolute: a relative one would be another
// folder in every working directory.
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
		Reason: fmt.Sprintf("neither %s nor %s is set, so that there is no folder for what payctl keeps", direct, last),
		Cause:  errNoFolder, Next: shell.Note("set " + direct + " to a folder"),
	}
}
