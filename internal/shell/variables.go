package shell

import "runtime"

// UnsetCommand returns the command that takes a variable out of the environment. On Windows it is one of PowerShell,
// with that of cmd as its comment.
func UnsetCommand(variable string) string {
	if runtime.GOOS == "windows" {
		return Hint("Remove-Item Env:VARIABLE   # in cmd: set VARIABLE=",
			Values{"Env:VARIABLE": "Env:" + variable, "VARIABLE=": variable + "="})
	}
	return Hint("unset VARIABLE", Values{"VARIABLE": variable})
}

// ExportCommand returns the command that gives a variable of the environment the value of another one, as [UnsetCommand].
func ExportCommand(variable, other string) string {
	if runtime.GOOS == "windows" {
		return "$env:" + variable + " = $env:" + other + `   # in cmd: set "` + variable + "=%" + other + `%"`
	}
	return "export " + variable + `="$` + other + `"`
}
