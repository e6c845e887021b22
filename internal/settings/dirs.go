package settings

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

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
// would put it (XDG_CONFIG_HOME or ~/.config on Unix, ~/Library/Application Support on macOS, %AppData% on Windows). It
// is an error when the environment names none. Nothing is created.
func Dir(getenv func(string) string) (string, error) { return configDir(runtime.GOOS, getenv) }

// StateDir returns the folder for what the program keeps between runs: PAYCTL_STATE_DIR, else PAYCTL_CONFIG_DIR/state
// when that variable is set, else XDG_STATE_HOME/payctl or ~/.local/state/payctl on Unix (XDG Base Directory Specification),
// ~/Library/Application Support/payctl/state on macOS and %LocalAppData%\payctl on Windows. Nothing is created.
func StateDir(getenv func(string) string) (string, error) { return stateDir(runtime.GOOS, getenv) }

func configDir(goos string, getenv func(string) string) (string, error) {
	switch {
	case getenv(EnvConfigDir) != "":
		return named(goos, getenv, EnvConfigDir)
	case goos == "windows":
		return below(getenv, ofConfig, "AppData", program)
	case goos == "darwin" || goos == "ios":
		return below(getenv, ofConfig, "HOME", "Library", "Application Support", program)
	case getenv("XDG_CONFIG_HOME") != "":
		return below(getenv, ofConfig, "XDG_CONFIG_HOME", program)
	}
	return below(getenv, ofConfig, "HOME", ".config", program)
}

func stateDir(goos string, getenv func(string) string) (string, error) {
	switch {
	case getenv(EnvStateDir) != "":
		return named(goos, getenv, EnvStateDir)
	case getenv(EnvConfigDir) != "":
		return named(goos, getenv, EnvConfigDir, "state")
	case goos == "windows":
		return below(getenv, ofState, "LocalAppData", program)
	case goos == "darwin" || goos == "ios":
		return below(getenv, ofState, "HOME", "Library", "Application Support", program, "state")
	case getenv("XDG_STATE_HOME") != "":
		return below(getenv, ofState, "XDG_STATE_HOME", program)
	}
	return below(getenv, ofState, "HOME", ".local", "state", program)
}

// A purpose is what a folder is for, and the variable that names it directly.
type purpose struct{ folder, variable string }

var (
	ofConfig = purpose{"the settings folder", EnvConfigDir}
	ofState  = purpose{"the state folder, where each write is recorded before it is sent,", EnvStateDir}
)

// named returns the folder that a variable names, or one below it. On Windows a quotation mark is an error: no name has
// one, and cmd takes those of `set VARIABLE="FOLDER"` for a part of the value.
func named(goos string, getenv func(string) string, variable string, elements ...string) (string, error) {
	folder := getenv(variable)
	if goos == "windows" && strings.Contains(folder, `"`) {
		return "", &Error{
			Reason: fmt.Sprintf("%s is %s, with quotation marks, which no folder has in its name", variable, folder),
			Next:   "leave the quotation marks out of its value",
		}
	}
	return filepath.Abs(filepath.Join(append([]string{folder}, elements...)...))
}

// below returns a folder below the one that a variable names. That must be absolute: a relative one would name another
// folder in every working directory. PAYCTL_CONFIG_DIR and PAYCTL_STATE_DIR may be relative, as any path that is given
// for one run.
func below(getenv func(string) string, of purpose, variable string, elements ...string) (string, error) {
	base := getenv(variable)
	if base == "" {
		return "", &Error{
			Reason: fmt.Sprintf("%s is not known, since %s is not set", of.folder, variable), Cause: errNoFolder,
			Next: shell.Hint("set DIRECTLY to a folder, or set VARIABLE",
				shell.Values{"VARIABLE": variable, "DIRECTLY": of.variable}),
		}
	}
	if !filepath.IsAbs(base) {
		return "", &Error{
			Reason: fmt.Sprintf("%s is %s, which is not an absolute path", variable, base),
			Next:   shell.Hint("make it absolute or set DIRECTLY", shell.Values{"DIRECTLY": of.variable}),
		}
	}
	return filepath.Join(append([]string{base}, elements...)...), nil
}
