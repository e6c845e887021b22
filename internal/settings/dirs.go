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

const program = "payctl"

// errNoFolder is the cause of an error that no variable names a folder.
var errNoFolder = errors.New("no variable names it")

// Dir returns the folder of the configuration file: PAYCTL_CONFIG_DIR, else the folder payctl where [os.UserConfigDir]
// would put it. It is an error when the environment names none, or one that is not absolute. Nothing is created.
func Dir(getenv func(string) string) (string, error) { return configDir(runtime.GOOS, getenv) }

// StateDir returns the folder for what the program keeps between runs: PAYCTL_STATE_DIR, else the folder state below
// PAYCTL_CONFIG_DIR, else the one of the system. Nothing is created.
func StateDir(getenv func(string) string) (string, error) { return stateDir(runtime.GOOS, getenv) }

func configDir(goos string, getenv func(string) string) (string, error) {
	system, _ := systemFolders(goos)
	return firstFolder(getenv, "the settings folder", append([]folderOf{{EnvConfigDir, ""}}, system...))
}

func stateDir(goos string, getenv func(string) string) (string, error) {
	_, system := systemFolders(goos)
	return firstFolder(getenv, "the state folder, where each write is recorded before it is sent,",
		append([]folderOf{{EnvStateDir, ""}, {EnvConfigDir, "state"}}, system...))
}

// A folderOf is a variable that names a folder, and the path below it.
type folderOf struct{ variable, path string }

// systemFolders are the folders of an operating system: by the XDG Base Directory Specification where it has no convention
// of its own.
func systemFolders(goos string) (config, state []folderOf) {
	const library = "Library/Application Support/" + program
	switch goos {
	case "windows":
		return []folderOf{{"AppData", program}}, []folderOf{{"LocalAppData", program}}
	case "darwin", "ios":
		return []folderOf{{"HOME", library}}, []folderOf{{"HOME", library + "/state"}}
	}
	return []folderOf{{"XDG_CONFIG_HOME", program}, {"HOME", ".config/" + program}},
		[]folderOf{{"XDG_STATE_HOME", program}, {"HOME", ".local/state/" + program}}
}

// firstFolder returns the folder of the first variable that is set. It must be absolute: a relative one would be another
// folder in every working directory.
func firstFolder(getenv func(string) string, purpose string, folders []folderOf) (string, error) {
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
		return "", &Error{
			Reason: reason, Next: shell.Hint("make it absolute or set DIRECTLY", shell.Values{"DIRECTLY": direct}),
		}
	}
	return "", &Error{
		Reason: fmt.Sprintf("%s is not known, since %s is not set", purpose, last), Cause: errNoFolder,
		Next: shell.Hint("set DIRECTLY to a folder, or set VARIABLE",
			shell.Values{"VARIABLE": last, "DIRECTLY": direct}),
	}
}
