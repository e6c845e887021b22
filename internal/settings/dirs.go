package settings

import (
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/payctl/payctl/internal/shell"
)

// EnvConfigDir names the folder of the configuration file and, below it, of the state.
const EnvConfigDir = "PAYCTL_CONFIG_DIR"

const program = "payctl"

// Dir returns the folder of the configuration file: PAYCTL_CONFIG_DIR, else the folder payctl where [os.UserConfigDir]
// would put it (XDG_CONFIG_HOME or ~/.config on Unix, ~/Library/Application Support on macOS, %AppData% on Windows). It
// is an error when the environment names none. Nothing is created.
func Dir(getenv func(string) string) (string, error) { return configDir(runtime.GOOS, getenv) }

// StateDir returns the folder for what the program keeps between runs: PAYCTL_CONFIG_DIR/state when that variable is
// set, else XDG_STATE_HOME/payctl or ~/.local/state/payctl on Unix (XDG Base Directory Specification),
// ~/Library/Application Support/payctl/state on macOS and %LocalAppData%\payctl on Windows. Nothing is created.
func StateDir(getenv func(string) string) (string, error) { return stateDir(runtime.GOOS, getenv) }

func configDir(goos string, getenv func(string) string) (string, error) {
	switch {
	case getenv(EnvConfigDir) != "":
		return filepath.Abs(getenv(EnvConfigDir))
	case goos == "windows":
		return below(getenv, "AppData", program)
	case goos == "darwin" || goos == "ios":
		return below(getenv, "HOME", "Library", "Application Support", program)
	case getenv("XDG_CONFIG_HOME") != "":
		return below(getenv, "XDG_CONFIG_HOME", program)
	}
	return below(getenv, "HOME", ".config", program)
}

func stateDir(goos string, getenv func(string) string) (string, error) {
	switch {
	case getenv(EnvConfigDir) != "":
		return filepath.Abs(filepath.Join(getenv(EnvConfigDir), "state"))
	case goos == "windows":
		return below(getenv, "LocalAppData", program)
	case goos == "darwin" || goos == "ios":
		return below(getenv, "HOME", "Library", "Application Support", program, "state")
	case getenv("XDG_STATE_HOME") != "":
		return below(getenv, "XDG_STATE_HOME", program)
	}
	return below(getenv, "HOME", ".local", "state", program)
}

// below returns a folder below the one that a variable names. That must be absolute: a relative one would name another
// folder in every working directory. PAYCTL_CONFIG_DIR may be relative, as any path that is given for one run.
func below(getenv func(string) string, variable string, elements ...string) (string, error) {
	base := getenv(variable)
	if base == "" {
		return "", &Error{
			Reason: fmt.Sprintf("the settings folder is not known, since %s is not set", variable),
			Next:   shell.Hint("set VARIABLE or "+EnvConfigDir, shell.Values{"VARIABLE": variable}),
		}
	}
	if !filepath.IsAbs(base) {
		return "", &Error{
			Reason: fmt.Sprintf("%s is %q, which is not an absolute path", variable, base),
			Next:   "make it absolute or set " + EnvConfigDir,
		}
	}
	return filepath.Join(append([]string{base}, elements...)...), nil
}
