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
