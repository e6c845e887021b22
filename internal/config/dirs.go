package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
)

// EnvConfigDir names the folder that holds the configuration file and, below it, the state.
const EnvConfigDir = "PAYCTL_CONFIG_DIR"

const program = "payctl"

// Dir returns the folder of the configuration file: PAYCTL_CONFIG_DIR, else a folder of the program's
// own where [os.UserConfigDir] would put it (XDG_CONFIG_HOME or ~/.config on Unix, ~/Library/Application
// Support on macOS, %AppData% on Windows). It is an error when none can be told. Nothing is created.
func Dir(getenv func(string) string) (string, error) {
	return configDir(runtime.GOOS, getenv)
}

// StateDir returns the folder for what the program remembers between runs: PAYCTL_CONFIG_DIR/state when
// that variable is set, else XDG_STATE_HOME/payctl or ~/.local/state/payctl on Unix (XDG Base Directory
// Specification), ~/Library/Application Support/payctl/state on macOS and %LocalAppData%\payctl on
// Windows. It is an error when none can be told. Nothing is created.
func StateDir(getenv func(string) string) (string, error) {
	return stateDir(runtime.GOOS, getenv)
}

func configDir(goos string, getenv func(string) string) (string, error) {
	if dir := getenv(EnvConfigDir); dir != "" {
		return absolute(dir)
	}
	switch goos {
	case "windows":
		return under(getenv, "AppData", program)
	case "darwin", "ios":
		return under(getenv, "HOME", "Library", "Application Support", program)
	default:
		return xdg(getenv, "XDG_CONFIG_HOME", ".config")
	}
}

func stateDir(goos string, getenv func(string) string) (string, error) {
	if dir := getenv(EnvConfigDir); dir != "" {
		return absolute(filepath.Join(dir, "state"))
	}
	switch goos {
	case "windows":
		return under(getenv, "LocalAppData", program)
	case "darwin", "ios":
		return under(getenv, "HOME", "Library", "Application Support", program, "state")
	default:
		return xdg(getenv, "XDG_STATE_HOME", ".local", "state")
	}
}

func xdg(getenv func(string) string, variable string, home ...string) (string, error) {
	base := getenv(variable)
	if base == "" {
		return under(getenv, "HOME", append(home, program)...)
	}
	if !filepath.IsAbs(base) {
		return "", notAbsolute(variable, base)
	}
	return filepath.Join(base, program), nil
}

// notAbsolute refuses a folder that would be another one in every working directory. What PAYCTL_CONFIG_DIR names is taken
// from the working directory, as any path that is given to a program for one run.
func notAbsolute(variable, base string) error {
	return &UsageError{
		Reason: fmt.Sprintf("%s is %q, which is not an absolute path", variable, base),
		Hint:   "make it absolute or set " + EnvConfigDir,
	}
}

func under(getenv func(string) string, variable string, elements ...string) (string, error) {
	base := getenv(variable)
	if base == "" {
		return "", &UsageError{
			Reason: fmt.Sprintf("the settings folder cannot be told, since %s is not set", variable),
			Hint:   fmt.Sprintf("set %s or %s", variable, EnvConfigDir),
		}
	}
	if !filepath.IsAbs(base) {
		return "", notAbsolute(variable, base)
	}
	return filepath.Join(append([]string{base}, elements...)...), nil
}

func absolute(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", errors.Join(&UsageError{
			Reason: fmt.Sprintf("%s is %q, which cannot be made absolute", EnvConfigDir, dir),
			Hint:   "give an absolute path",
		}, err)
	}
	return abs, nil
}
